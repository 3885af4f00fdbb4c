//! Which memory model a device or a user wants.

use classay_litmus::cat::Bounds;
use classay_litmus::oracle::{Model, Readings};
use std::path::Path;
use std::sync::Arc;

/// The model that `--model` stands for where it is not given to `classay judge`.
pub const LATEST: &str = "opencl-3.1";

/// A model, and what to call it.
#[derive(Debug, Clone)]
pub struct ChosenModel {
    /// As the user wrote it: a name, or a path.
    pub given: String,
    /// The model.
    pub model: Arc<Model>,
    /// The models that bound every reading of the text; none where the readings were chosen, and for a
    /// user's file, which says itself what it forbids.
    pub bounds: Option<Arc<Bounds>>,
    /// The model without thin-air values; none for a user's file, which says itself what
    /// it forbids.
    pub without_thin_air: Option<Arc<Model>>,
    /// The model that allows interleavings alone: what it does not allow is weak.
    pub sequential: Option<Arc<Model>>,
}

impl ChosenModel {
    /// The model that has this name, or that this file states. The error is for the user, with the
    /// place in the file where there is one.
    ///
    /// # Errors
    ///
    /// There is no such model, or its file cannot be read or parsed; with the place in the file.
    pub fn load(given: &str) -> Result<ChosenModel, String> {
        let named = Model::names().any(|name| name == given);
        let model = if !named && (given.contains('/') || Path::new(given).exists()) {
            Model::from_file(Path::new(given))
        } else {
            Model::named(given)
        };
        match model {
            Ok(model) => Ok(ChosenModel {
                given: given.to_string(),
                bounds: model.bounds().filter(|_| named).map(Arc::new),
                model: Arc::new(model),
                without_thin_air: Model::without_thin_air(given)
                    .ok()
                    .filter(|_| named)
                    .map(Arc::new),
                sequential: Model::named("sc").ok().map(Arc::new),
            }),
            Err(error) => {
                let mut text = format!("the model {given} cannot be used:\n");
                let handler = miette::GraphicalReportHandler::new();
                match handler.render_report(&mut text, error.as_ref()) {
                    Ok(()) => Err(text.trim_end().to_string()),
                    Err(_) => Err(error.to_string()),
                }
            }
        }
    }

    /// The same model with the readings that it takes alone: what they forbid is not contested.
    #[must_use]
    pub fn alone(self) -> ChosenModel {
        ChosenModel {
            bounds: None,
            ..self
        }
    }

    /// The model with every reading that forbids more, alone: what any of the readings forbids is forbidden.
    #[must_use]
    pub fn strict(self) -> ChosenModel {
        let strictest = self.bounds.as_ref().map(|bounds| bounds.strictest.clone());
        ChosenModel {
            model: strictest.unwrap_or_else(|| self.model.clone()),
            ..self.alone()
        }
    }

    /// The model as questions are put to it whose answer depends on every reading.
    pub fn readings(&self) -> Readings<'_> {
        Readings {
            model: &self.model,
            bounds: self.bounds.as_deref(),
        }
    }

    /// The model that forbids only what every reading forbids.
    pub fn weakest(&self) -> &Model {
        let weakest = self.bounds.as_ref().map(|bounds| &bounds.weakest);
        weakest.unwrap_or(&self.model)
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.model.name
    }
}

/// The model of a device that claims this version of OpenCL, as (major, minor): the model that its
/// own specification states. The specifications before 2.0 state none; there the first one that was
/// stated is taken, of which such a device's tests use coherence and barriers only.
pub fn of_version(version: (u32, u32)) -> &'static str {
    match version {
        (3, 0) => "opencl-3.0",
        v if v > (3, 0) => "opencl-3.1",
        _ => "opencl-2.0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_a_model_that_exists() {
        let expected = [
            ((0, 0), "opencl-2.0"),
            ((1, 2), "opencl-2.0"),
            ((2, 0), "opencl-2.0"),
            ((2, 2), "opencl-2.0"),
            ((3, 0), "opencl-3.0"),
            ((3, 1), "opencl-3.1"),
            ((4, 0), "opencl-3.1"),
        ];
        for (version, name) in expected {
            assert_eq!(of_version(version), name);
            assert_eq!(ChosenModel::load(name).expect("a model").name(), name);
        }
        assert!(ChosenModel::load(LATEST).is_ok());
    }

    #[test]
    fn models_are_names_or_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.cat");
        std::fs::write(&path, "acyclic po as mine\n").expect("a file");
        let mine = ChosenModel::load(&path.to_string_lossy()).expect("a model");
        assert_eq!(
            (mine.name(), mine.given.as_str()),
            ("mine", &*path.to_string_lossy())
        );
        let unknown = ChosenModel::load("opencl-9").expect_err("no such model");
        assert!(unknown.contains("opencl-3.0"), "{unknown}");
        let missing = folder.path().join("none.cat");
        let missing = ChosenModel::load(&missing.to_string_lossy()).expect_err("no such file");
        assert!(missing.contains("cannot be read"), "{missing}");
        std::fs::write(&path, "acyclic (po").expect("a file");
        assert!(ChosenModel::load(&path.to_string_lossy()).is_err());
    }
}
