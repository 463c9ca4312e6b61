//! Raw bindings, and a safe wrapper for device memory.

#![allow(non_camel_case_types, non_upper_case_globals)]

use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_char, c_int, c_uint, c_void};

pub type cudaError_t = c_uint;
pub type cudaStream_t = *mut c_void;
pub type CUdeviceptr = u64;
pub type CUresult = c_uint;

pub const cudaSuccess: cudaError_t = 0;
pub const CUDA_SUCCESS: CUresult = 0;

extern "C" {
    pub fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) -> cudaError_t;
    pub fn cudaFree(pointer: *mut c_void) -> cudaError_t;
    pub fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> cudaError_t;
    pub fn cudaGetErrorString(status: cudaError_t) -> *const c_char;
    #[cfg(feature = "driver")]
    pub fn cuMemGetAddressRange_v2(
        base: *mut CUdeviceptr,
        bytes: *mut usize,
        pointer: CUdeviceptr,
    ) -> CUresult;

    pub fn tidepool_last_problem() -> *const c_char;
    pub fn tidepool_checksum(
        data: *const c_void,
        bytes: usize,
        stream: cudaStream_t,
        value: *mut u32,
    ) -> c_int;
}

#[derive(Debug)]
pub struct GpuError(String);

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GpuError {}

fn check(status: cudaError_t) -> Result<(), GpuError> {
    if status == cudaSuccess {
        return Ok(());
    }
    // The runtime returns static strings.
    let text = unsafe { CStr::from_ptr(cudaGetErrorString(status)) };
    Err(GpuError(text.to_string_lossy().into_owned()))
}

/// Device memory that is freed when it goes out of scope.
pub struct DeviceMemory {
    pointer: *mut c_void,
    bytes: usize,
}

impl DeviceMemory {
    pub fn new(bytes: usize) -> Result<Self, GpuError> {
        let mut pointer = std::ptr::null_mut();
        check(unsafe { cudaMalloc(&mut pointer, bytes) })?;
        Ok(Self { pointer, bytes })
    }

    /// The allocation that holds this memory, and its size.
    #[cfg(feature = "driver")]
    pub fn allocation(&self) -> Option<(CUdeviceptr, usize)> {
        let mut base: CUdeviceptr = 0;
        let mut size = 0;
        let status =
            unsafe { cuMemGetAddressRange_v2(&mut base, &mut size, self.pointer as CUdeviceptr) };
        (status == CUDA_SUCCESS).then_some((base, size))
    }

    pub fn checksum(&self, stream: cudaStream_t) -> Result<u32, GpuError> {
        let mut value = 0;
        match unsafe { tidepool_checksum(self.pointer, self.bytes, stream, &mut value) } {
            0 => Ok(value),
            _ => {
                let text = unsafe { CStr::from_ptr(tidepool_last_problem()) };
                Err(GpuError(text.to_string_lossy().into_owned()))
            }
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        unsafe { cudaFree(self.pointer) };
    }
}
