//! What can be checked on any machine: memory is given, or refused with the runtime's reason.

use tidepool_sys::DeviceMemory;

#[test]
fn memory_is_given_or_refused_with_a_reason() {
    match DeviceMemory::new(1 << 16) {
        Ok(memory) => {
            #[cfg(feature = "driver")]
            assert!(memory.allocation().expect("an allocation holds it").1 >= 1 << 16);
            drop(memory);
        }
        Err(reason) => {
            println!("no device memory: {reason}");
            assert!(!reason.to_string().is_empty());
        }
    }
}
