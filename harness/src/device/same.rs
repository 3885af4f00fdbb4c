//! Whether two descriptions are of one device.

use classay_reports::record::DeviceRecord;

/// Whether two descriptions are of different devices. Findings are words, and how much memory there
/// is depends on the moment: neither counts.
pub fn differs(one: &DeviceRecord, other: &DeviceRecord) -> bool {
    let lasting = |record: &DeviceRecord| {
        let mut record = record.clone();
        record.findings.clear();
        record
            .capabilities
            .retain(|(name, _)| name != "global-mem" && name != "max-alloc");
        record
    };
    lasting(one) != lasting(other)
}

/// A device in a few words: its name, its version and its driver.
pub fn title(device: &DeviceRecord) -> String {
    format!(
        "{} {} with driver {}",
        device.name, device.version, device.driver
    )
}
