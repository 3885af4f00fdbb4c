//! What a device and its platform must answer about themselves ("Querying Platform Info", "Querying Devices"): at least
//! what the table of device queries demands, and of what they say twice the same.

use super::{PATCH, Question, Versions, Wanted};
use crate::host::constant::{Constant, cl};
use crate::host::function::Function;
use crate::host::value::{Slot, Value};
use crate::rule;
use serde::{Deserialize, Serialize};

/// What a device said when it was opened; what is not known of it is left empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Described {
    /// CL_DEVICE_VERSION.
    pub version: String,
    /// CL_DEVICE_EXTENSIONS.
    pub extensions: String,
    /// The names in CL_DEVICE_OPENCL_C_FEATURES.
    pub features: Vec<String>,
    /// CL_DEVICE_IL_VERSION.
    pub il: String,
    /// CL_DEVICE_BUILT_IN_KERNELS.
    pub built_in_kernels: String,
    /// CL_PLATFORM_VERSION.
    pub platform_version: String,
    /// CL_PLATFORM_EXTENSIONS.
    pub platform_extensions: String,
    /// CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS.
    pub dimensions: Option<u32>,
    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub units: Option<u32>,
    /// CL_DEVICE_GLOBAL_MEM_SIZE.
    pub global_memory: Option<u64>,
    /// CL_DEVICE_IMAGE_SUPPORT.
    pub images: Option<bool>,
    /// CL_DEVICE_PIPE_SUPPORT.
    pub pipes: Option<bool>,
    /// CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES has CL_DEVICE_QUEUE_SUPPORTED.
    pub enqueues: Option<bool>,
    /// CL_DEVICE_PROFILE is FULL_PROFILE.
    pub full: Option<bool>,
}

/// A number that is not limited above.
const ANY: u64 = u64::MAX;

/// Bytes of a number of an answer.
const WORD: u8 = 4;
const LONG: u8 = 8;

/// The names in a text, between blanks.
fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The version that a text names behind its first word, as `CL_MAKE_VERSION` has it, without the patch.
pub(super) fn numeric(text: &str) -> Option<u64> {
    let (major, rest) = text.strip_prefix("OpenCL ")?.split_once('.')?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    let (major, minor): (u64, u64) = (major.parse().ok()?, digits.parse().ok()?);
    Some(major << 22 | minor << 12)
}

/// Version 3.0, which brought versions as numbers.
pub(super) const NUMBERED: u64 = 3 << 22;

/// A version as a number.
fn of_version(text: &str) -> Option<Wanted> {
    let version = numeric(text).filter(|version| *version >= NUMBERED)?;
    Some(Wanted::Number(WORD, version, version | PATCH))
}

/// A text that begins as it did when its blanks at the end were cut off.
fn begins(text: &str) -> Wanted {
    let mut start = text.to_owned();
    match start.pop() {
        Some(_) => Wanted::Begins(start),
        None => Wanted::Text(start),
    }
}

/// At least so much where something is offered, nothing where it is not.
fn if_offered(offered: Option<bool>, bytes: u8, least: u64) -> Option<Wanted> {
    Some(match offered? {
        true => Wanted::Number(bytes, least, ANY),
        false => Wanted::Number(bytes, 0, 0),
    })
}

/// CL_DEVICE_PARTITION_BY_NAMES_INTEL, of an extension.
const PARTITION_BY_NAMES: u64 = 0x4052;

/// CL_UUID_SIZE.
const UUID: usize = 16;

/// Intermediate languages, each `<IL_Prefix>_<Major_Version>.<Minor_Version>`, as an array must name them.
fn of_languages(text: &str) -> Wanted {
    let one = |name: &String| {
        let (prefix, version) = name.rsplit_once('_')?;
        Some((prefix.to_owned(), numeric(&format!("OpenCL {version}"))?))
    };
    let all = names(text);
    match all.iter().map(one).collect::<Option<Vec<_>>>() {
        Some(some) => Wanted::Versions(Versions {
            some,
            alone: true,
            begins: String::new(),
        }),
        None => {
            let prefix = |name: &String| match name.rsplit_once('_') {
                Some((prefix, _)) => prefix.to_owned(),
                None => name.clone(),
            };
            Wanted::Named(all.iter().map(prefix).collect())
        }
    }
}

/// The versions of OpenCL C that a device of a version compiles at least.
fn versions_of_c(device: u64) -> Versions {
    let version = |major: u64, minor: u64| major << 22 | minor << 12;
    let all = [
        (version(1, 0), true),
        (version(1, 1), device >= version(1, 1)),
        (version(1, 2), device >= version(1, 2)),
        (version(2, 0), device >> 22 == 2),
        (version(3, 0), device >= version(3, 0)),
        (version(3, 1), device >= version(3, 1)),
    ];
    let some = all.iter().filter(|(_, needed)| *needed);
    Versions {
        some: some.map(|(one, _)| ("OpenCL C".to_owned(), *one)).collect(),
        alone: false,
        begins: "OpenCL C".into(),
    }
}

/// Functions of extensions, in every version of these.
const FUNCTIONS: [(&str, &[&str]); 8] = [
    (
        "cl_khr_command_buffer",
        &[
            "clCreateCommandBufferKHR",
            "clFinalizeCommandBufferKHR",
            "clRetainCommandBufferKHR",
            "clReleaseCommandBufferKHR",
            "clEnqueueCommandBufferKHR",
            "clCommandBarrierWithWaitListKHR",
            "clCommandCopyBufferKHR",
            "clCommandCopyBufferRectKHR",
            "clCommandCopyBufferToImageKHR",
            "clCommandCopyImageKHR",
            "clCommandCopyImageToBufferKHR",
            "clCommandFillBufferKHR",
            "clCommandFillImageKHR",
            "clCommandNDRangeKernelKHR",
            "clGetCommandBufferInfoKHR",
        ],
    ),
    (
        "cl_khr_command_buffer_mutable_dispatch",
        &["clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR"],
    ),
    (
        "cl_khr_create_command_queue",
        &["clCreateCommandQueueWithPropertiesKHR"],
    ),
    ("cl_khr_il_program", &["clCreateProgramWithILKHR"]),
    ("cl_khr_subgroups", &["clGetKernelSubGroupInfoKHR"]),
    (
        "cl_khr_suggested_local_work_size",
        &["clGetKernelSuggestedLocalWorkSizeKHR"],
    ),
    ("cl_khr_terminate_context", &["clTerminateContextKHR"]),
    (
        "cl_khr_semaphore",
        &[
            "clCreateSemaphoreWithPropertiesKHR",
            "clEnqueueWaitSemaphoresKHR",
            "clEnqueueSignalSemaphoresKHR",
            "clGetSemaphoreInfoKHR",
            "clRetainSemaphoreKHR",
            "clReleaseSemaphoreKHR",
        ],
    ),
];

impl Described {
    /// The functions of the extensions that it offers.
    pub fn functions(&self) -> Vec<&'static str> {
        let offered = FUNCTIONS
            .iter()
            .filter(|(name, _)| self.has(name) == Some(true));
        offered
            .flat_map(|(_, functions)| *functions)
            .copied()
            .collect()
    }

    /// The features of OpenCL C 3.0 that its compiler has at least, by what the device offers.
    fn features(&self) -> Versions {
        let pipes = self.pipes == Some(true);
        let enqueues = self.enqueues == Some(true);
        let all = [
            ("int64", true),
            ("images", self.images == Some(true)),
            ("pipes", pipes),
            ("device_enqueue", enqueues),
            ("generic_address_space", pipes || enqueues),
            ("program_scope_global_variables", enqueues),
            ("fp64", self.has("cl_khr_fp64") == Some(true)),
        ];
        let some = all.iter().filter(|(_, there)| *there);
        let named = |(name, _): &(&str, bool)| (format!("__opencl_c_{name}"), NUMBERED);
        Versions {
            some: some.map(named).collect(),
            alone: false,
            // There are features of vendors, too.
            begins: String::new(),
        }
    }

    /// Whether the device lists an extension; none where its extensions are not known.
    pub(super) fn has(&self, extension: &str) -> Option<bool> {
        let known = !self.extensions.is_empty();
        known.then(|| {
            self.extensions
                .split_whitespace()
                .any(|name| name == extension)
        })
    }

    /// A version of OpenCL C beyond 1.2 that it must support: its name in options, and its number.
    pub fn language(&self) -> Option<(&'static str, u32)> {
        match numeric(&self.version)? >> 22 {
            2 => Some(("CL2.0", 200)),
            3.. => Some(("CL3.0", 300)),
            _ => None,
        }
    }

    /// What the device must answer.
    pub fn of_device(&self, device: Slot, platform: Slot) -> Vec<Question> {
        let mut all = Vec::new();
        let mut ask = |since: u16, name: Constant, wanted: Wanted| {
            let question = Question::new(Function::GetDeviceInfo, device, name, wanted);
            all.push(question.since(since).about(rule::API_DEVICE));
        };
        let text = || Wanted::Begins(String::new());
        let truth = || Wanted::Number(WORD, 0, 1);
        for name in [
            cl::CL_DEVICE_NAME,
            cl::CL_DEVICE_VENDOR,
            cl::CL_DRIVER_VERSION,
        ] {
            ask(100, name, text());
        }
        ask(100, cl::CL_DEVICE_VERSION, Wanted::Begins("OpenCL ".into()));
        ask(
            110,
            cl::CL_DEVICE_OPENCL_C_VERSION,
            Wanted::Begins("OpenCL C ".into()),
        );
        ask(100, cl::CL_DEVICE_PLATFORM, Wanted::object(platform));
        ask(
            120,
            cl::CL_DEVICE_PARENT_DEVICE,
            Wanted::object(Value::Null),
        );
        ask(
            120,
            cl::CL_DEVICE_REFERENCE_COUNT,
            Wanted::Number(WORD, 1, 1),
        );
        for (bytes, name, least) in [
            (WORD, cl::CL_DEVICE_MAX_COMPUTE_UNITS, 1),
            (WORD, cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3),
            (LONG, cl::CL_DEVICE_MAX_WORK_GROUP_SIZE, 1),
            (WORD, cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1),
            (WORD, cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1),
            (WORD, cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1),
            (WORD, cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1),
            (WORD, cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1),
            (LONG, cl::CL_DEVICE_MAX_PARAMETER_SIZE, 1024),
            (LONG, cl::CL_DEVICE_GLOBAL_MEM_SIZE, 1),
        ] {
            ask(100, name, Wanted::Number(bytes, least, ANY));
        }
        for name in [
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
        ] {
            ask(110, name, Wanted::Number(WORD, 1, ANY));
        }
        // Of these the text says what type they have, and no least number.
        for (since, bytes, name) in [
            (100, WORD, cl::CL_DEVICE_VENDOR_ID),
            (100, WORD, cl::CL_DEVICE_MAX_CLOCK_FREQUENCY),
            (100, LONG, cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION),
            (100, WORD, cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
            (100, LONG, cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
            (200, LONG, cl::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE),
            (
                200,
                LONG,
                cl::CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
            ),
            (200, WORD, cl::CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT),
            (200, WORD, cl::CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
            (200, WORD, cl::CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT),
            (200, WORD, cl::CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
            (200, WORD, cl::CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT),
            (200, WORD, cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS),
            (210, WORD, cl::CL_DEVICE_MAX_NUM_SUB_GROUPS),
            (300, LONG, cl::CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
        ] {
            ask(since, name, Wanted::Number(bytes, 0, ANY));
        }
        ask(
            100,
            cl::CL_DEVICE_ADDRESS_BITS,
            Wanted::Number(WORD, 32, 64),
        );
        ask(
            100,
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
            Wanted::Number(WORD, 0, 2),
        );
        ask(
            100,
            cl::CL_DEVICE_EXECUTION_CAPABILITIES,
            Wanted::Bits(cl::CL_EXEC_KERNEL.value() as u64, ANY),
        );
        ask(
            100,
            cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
            Wanted::Bits(cl::CL_QUEUE_PROFILING_ENABLE.value() as u64, ANY),
        );
        for name in [
            cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT,
            cl::CL_DEVICE_ENDIAN_LITTLE,
            cl::CL_DEVICE_IMAGE_SUPPORT,
            cl::CL_DEVICE_COMPILER_AVAILABLE,
            cl::CL_DEVICE_HOST_UNIFIED_MEMORY,
        ] {
            ask(100, name, truth());
        }
        ask(100, cl::CL_DEVICE_AVAILABLE, Wanted::Number(WORD, 1, 1));
        ask(120, cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, truth());
        ask(
            210,
            cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
            truth(),
        );
        for name in [
            cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
            cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
            cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
            cl::CL_DEVICE_PIPE_SUPPORT,
        ] {
            ask(300, name, truth());
        }
        let capabilities =
            |all: &[Constant]| -> u64 { all.iter().map(|one| one.value() as u64).sum() };
        for (since, name, bits) in [
            (
                100,
                cl::CL_DEVICE_TYPE,
                &[
                    cl::CL_DEVICE_TYPE_DEFAULT,
                    cl::CL_DEVICE_TYPE_CPU,
                    cl::CL_DEVICE_TYPE_GPU,
                    cl::CL_DEVICE_TYPE_ACCELERATOR,
                    cl::CL_DEVICE_TYPE_CUSTOM,
                ][..],
            ),
            (
                120,
                cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
                &[
                    cl::CL_DEVICE_AFFINITY_DOMAIN_NUMA,
                    cl::CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                    cl::CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
                    cl::CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                    cl::CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
                    cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
                ],
            ),
            (
                200,
                cl::CL_DEVICE_SVM_CAPABILITIES,
                &[
                    cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                    cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
                    cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
                    cl::CL_DEVICE_SVM_ATOMICS,
                ],
            ),
            (
                300,
                cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                &[
                    cl::CL_DEVICE_QUEUE_SUPPORTED,
                    cl::CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT,
                ],
            ),
        ] {
            ask(since, name, Wanted::Bits(0, capabilities(bits)));
        }
        if self.enqueues == Some(true) {
            let both = [
                cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                cl::CL_QUEUE_PROFILING_ENABLE,
            ];
            ask(
                200,
                cl::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                Wanted::Bits(capabilities(&both), ANY),
            );
        }
        let every = capabilities(&[
            cl::CL_DEVICE_ATOMIC_ORDER_RELAXED,
            cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
            cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
            cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
            cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
            cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE,
            cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
        ]);
        let relaxed = capabilities(&[
            cl::CL_DEVICE_ATOMIC_ORDER_RELAXED,
            cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
        ]);
        let fences = relaxed | capabilities(&[cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL]);
        ask(
            300,
            cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
            Wanted::Bits(relaxed, every),
        );
        ask(
            300,
            cl::CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
            Wanted::Bits(fences, every),
        );
        if self.full == Some(true) {
            ask(
                100,
                cl::CL_DEVICE_PROFILE,
                Wanted::Text("FULL_PROFILE".into()),
            );
            // Of the largest type, long16: 128 bytes.
            ask(
                100,
                cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                Wanted::Number(WORD, 8 * 128, ANY),
            );
            ask(
                100,
                cl::CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
                Wanted::Number(WORD, 128, ANY),
            );
            ask(
                100,
                cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
                Wanted::Number(LONG, 64 << 10, ANY),
            );
            ask(
                100,
                cl::CL_DEVICE_MAX_CONSTANT_ARGS,
                Wanted::Number(WORD, 8, ANY),
            );
            ask(
                100,
                cl::CL_DEVICE_LOCAL_MEM_TYPE,
                Wanted::Number(WORD, 1, 2),
            );
            ask(
                110,
                cl::CL_DEVICE_LOCAL_MEM_SIZE,
                Wanted::Number(LONG, 32 << 10, ANY),
            );
            ask(
                120,
                cl::CL_DEVICE_PRINTF_BUFFER_SIZE,
                Wanted::Number(LONG, 1 << 20, ANY),
            );
            ask(
                120,
                cl::CL_DEVICE_LINKER_AVAILABLE,
                Wanted::Number(WORD, 1, 1),
            );
            let least = [cl::CL_FP_ROUND_TO_NEAREST, cl::CL_FP_INF_NAN];
            ask(
                100,
                cl::CL_DEVICE_SINGLE_FP_CONFIG,
                Wanted::Bits(capabilities(&least), ANY),
            );
        }
        if let Some(memory) = self.global_memory {
            let least = (memory / 4).clamp(32 << 20, 1 << 30);
            ask(
                200,
                cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                Wanted::Number(LONG, least, ANY),
            );
        }
        if let Some(dimensions) = self.dimensions {
            ask(
                100,
                cl::CL_DEVICE_MAX_WORK_ITEM_SIZES,
                Wanted::Length(8 * dimensions as usize),
            );
        }
        if let Some(units) = self.units {
            ask(
                120,
                cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                Wanted::Number(WORD, 0, units.into()),
            );
        }
        if self.has("cl_khr_fp64") == Some(true) {
            let least = [
                cl::CL_FP_FMA,
                cl::CL_FP_ROUND_TO_NEAREST,
                cl::CL_FP_INF_NAN,
                cl::CL_FP_DENORM,
            ];
            ask(
                120,
                cl::CL_DEVICE_DOUBLE_FP_CONFIG,
                Wanted::Bits(capabilities(&least), ANY),
            );
            for name in [
                cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
            ] {
                ask(110, name, Wanted::Number(WORD, 1, ANY));
            }
        }
        if self.has("cl_khr_fp16") == Some(false) {
            for name in [
                cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
            ] {
                ask(110, name, Wanted::Number(WORD, 0, 0));
            }
        }
        let mut offered = |since: u16, offered: Option<bool>, rows: &[(u8, Constant, u64)]| {
            for (bytes, name, least) in rows {
                if let Some(wanted) = if_offered(offered, *bytes, *least) {
                    ask(since, *name, wanted);
                }
            }
        };
        let of_full = |offered: Option<bool>| offered.filter(|_| self.full == Some(true));
        offered(
            200,
            of_full(self.images),
            &[
                (WORD, cl::CL_DEVICE_MAX_READ_IMAGE_ARGS, 128),
                (WORD, cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64),
                (LONG, cl::CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384),
                (LONG, cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384),
                (LONG, cl::CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048),
                (LONG, cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048),
                (LONG, cl::CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048),
                (LONG, cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536),
                (LONG, cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048),
                (WORD, cl::CL_DEVICE_MAX_SAMPLERS, 16),
            ],
        );
        offered(
            300,
            self.pipes,
            &[
                (WORD, cl::CL_DEVICE_MAX_PIPE_ARGS, 16),
                (WORD, cl::CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1),
                (WORD, cl::CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1024),
            ],
        );
        offered(
            300,
            of_full(self.enqueues),
            &[
                (WORD, cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 16 << 10),
                (WORD, cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 256 << 10),
                (WORD, cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES, 1),
                (WORD, cl::CL_DEVICE_MAX_ON_DEVICE_EVENTS, 1024),
            ],
        );
        if !self.version.is_empty() {
            ask(100, cl::CL_DEVICE_VERSION, begins(&self.version));
            ask(
                100,
                cl::CL_DEVICE_EXTENSIONS,
                Wanted::Parts(names(&self.extensions)),
            );
            ask(
                300,
                cl::CL_DEVICE_EXTENSIONS_WITH_VERSION,
                Wanted::Named(names(&self.extensions)),
            );
            let kernels = self
                .built_in_kernels
                .split(';')
                .filter(|name| !name.is_empty());
            let kernels = kernels.map(str::to_owned).collect();
            ask(
                120,
                cl::CL_DEVICE_BUILT_IN_KERNELS,
                begins(&self.built_in_kernels),
            );
            ask(210, cl::CL_DEVICE_IL_VERSION, begins(&self.il));
            ask(
                300,
                cl::CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
                Wanted::Named(kernels),
            );
            ask(300, cl::CL_DEVICE_ILS_WITH_VERSION, of_languages(&self.il));
        }
        // What has no compiler lists no language, which only the embedded profile allows.
        if let Some(versions) = numeric(&self.version).filter(|_| self.full == Some(true)) {
            let wanted = Wanted::Versions(versions_of_c(versions));
            ask(300, cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS, wanted);
            let wanted = Wanted::Versions(self.features());
            ask(300, cl::CL_DEVICE_OPENCL_C_FEATURES, wanted);
        }
        let parts = [
            cl::CL_DEVICE_PARTITION_EQUALLY,
            cl::CL_DEVICE_PARTITION_BY_COUNTS,
            cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
        ];
        let parts = parts.map(|one| one.value() as u64).into_iter();
        ask(
            120,
            cl::CL_DEVICE_PARTITION_PROPERTIES,
            Wanted::Drawn(parts.chain([0, PARTITION_BY_NAMES]).collect()),
        );
        if self.has("cl_khr_fp16") == Some(true) {
            let every = capabilities(&[
                cl::CL_FP_DENORM,
                cl::CL_FP_INF_NAN,
                cl::CL_FP_ROUND_TO_NEAREST,
                cl::CL_FP_ROUND_TO_ZERO,
                cl::CL_FP_ROUND_TO_INF,
                cl::CL_FP_FMA,
                cl::CL_FP_SOFT_FLOAT,
            ]);
            // One way to round is the least.
            ask(
                100,
                cl::CL_DEVICE_HALF_FP_CONFIG,
                Wanted::Number(LONG, 1, every),
            );
        }
        // They came with OpenCL 3.1, and before with an extension.
        let since = match self.has("cl_khr_device_uuid") {
            Some(true) => 120,
            _ => 310,
        };
        for name in [cl::CL_DEVICE_UUID, cl::CL_DRIVER_UUID] {
            ask(since, name, Wanted::Length(UUID));
        }
        ask(since, cl::CL_DEVICE_LUID_VALID, truth());
        if let Some(wanted) = of_version(&self.version) {
            ask(300, cl::CL_DEVICE_NUMERIC_VERSION, wanted);
        }
        all
    }

    /// What the platform must answer.
    pub fn of_platform(&self, platform: Slot) -> Vec<Question> {
        let mut all = Vec::new();
        let mut ask = |since: u16, name: Constant, wanted: Wanted| {
            let question = Question::new(Function::GetPlatformInfo, platform, name, wanted);
            all.push(question.since(since).about(rule::API_DEVICE));
        };
        for name in [
            cl::CL_PLATFORM_NAME,
            cl::CL_PLATFORM_VENDOR,
            cl::CL_PLATFORM_PROFILE,
        ] {
            ask(100, name, Wanted::Begins(String::new()));
        }
        let resolution = Wanted::Number(LONG, 0, ANY);
        ask(210, cl::CL_PLATFORM_HOST_TIMER_RESOLUTION, resolution);
        ask(
            100,
            cl::CL_PLATFORM_VERSION,
            Wanted::Begins("OpenCL ".into()),
        );
        if !self.platform_version.is_empty() {
            let extensions = Wanted::Parts(names(&self.platform_extensions));
            ask(100, cl::CL_PLATFORM_VERSION, begins(&self.platform_version));
            ask(100, cl::CL_PLATFORM_EXTENSIONS, extensions);
        }
        if let Some(wanted) = of_version(&self.platform_version) {
            ask(300, cl::CL_PLATFORM_NUMERIC_VERSION, wanted);
            let extensions = names(&self.platform_extensions);
            ask(
                300,
                cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION,
                Wanted::Named(extensions),
            );
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_without_their_patch() {
        assert_eq!(numeric("OpenCL 3.1 Touchstone"), Some(3 << 22 | 1 << 12));
        assert_eq!(numeric("OpenCL 1.2"), Some(1 << 22 | 2 << 12));
        assert_eq!(numeric("OpenCL C 3.0"), None);
        assert_eq!(of_version("OpenCL 1.2 pocl"), None);
    }

    #[test]
    fn a_device_compiles_what_came_before_it() {
        let versions = |device| {
            let all = versions_of_c(numeric(device).expect("a version")).some;
            let each = all
                .iter()
                .map(|(_, version)| (version >> 22, version >> 12 & 0x3ff));
            each.collect::<Vec<_>>()
        };
        let early = [(1, 0), (1, 1), (1, 2)];
        assert_eq!(versions("OpenCL 1.2"), early);
        assert_eq!(versions("OpenCL 2.1"), [&early[..], &[(2, 0)]].concat());
        assert_eq!(versions("OpenCL 3.0"), [&early[..], &[(3, 0)]].concat());
        let latest = [&early[..], &[(3, 0), (3, 1)]].concat();
        assert_eq!(versions("OpenCL 3.1"), latest);
    }

    #[test]
    fn languages_have_their_versions() {
        let Wanted::Versions(wanted) = of_languages("SPIR-V_1.0 SPIR-V_1.2") else {
            panic!("no versions");
        };
        let entry = |name: &str, version: u32| {
            let mut bytes = [0; 68];
            bytes[..4].copy_from_slice(&version.to_ne_bytes());
            bytes[4..4 + name.len()].copy_from_slice(name.as_bytes());
            bytes
        };
        let (first, second) = (1 << 22, 1 << 22 | 2 << 12);
        let [one, patched] = [entry("SPIR-V", first), entry("SPIR-V", second | 7)];
        assert_eq!(wanted.wrong(&[patched, one].concat()), None);
        for wrong in [
            vec![one],
            vec![one, one],
            vec![one, patched, entry("SPIR-V", second)],
            vec![one, entry("SPIR-W", second)],
        ] {
            assert!(wanted.wrong(&wrong.concat()).is_some());
        }
    }

    #[test]
    fn what_is_not_offered_has_no_size() {
        let none = Described {
            pipes: Some(false),
            ..Described::default()
        };
        let asked = none.of_device(Slot(0), Slot(1));
        let pipes = asked
            .iter()
            .find(|one| one.name() == "CL_DEVICE_MAX_PIPE_ARGS");
        assert_eq!(
            pipes.map(|one| &one.wanted),
            Some(&Wanted::Number(WORD, 0, 0))
        );
        let names: Vec<_> = asked.iter().map(Question::name).collect();
        assert!(!names.contains(&"CL_DEVICE_MAX_SAMPLERS"));
    }
}
