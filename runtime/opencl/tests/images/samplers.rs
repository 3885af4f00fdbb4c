//! Samplers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::sampler::*;

use crate::rig::*;

fn info<T: Default>(sampler: cl_sampler, name: cl_sampler_info) -> T {
    let mut value = T::default();
    let at = (&raw mut value).cast();
    let code = unsafe { clGetSamplerInfo(sampler, name, size_of::<T>(), at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    value
}

fn properties(sampler: cl_sampler) -> Vec<u64> {
    let mut size = 1;
    let name = CL_SAMPLER_PROPERTIES;
    let code = unsafe { clGetSamplerInfo(sampler, name, 0, null_mut(), &mut size) };
    assert_eq!(code, CL_SUCCESS);
    let mut list = vec![0u64; size / 8];
    let at = list.as_mut_ptr().cast();
    let code = unsafe { clGetSamplerInfo(sampler, name, size, at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    list
}

fn make(rig: &Rig, list: &[u64]) -> Result<cl_sampler, cl_int> {
    let mut code = 1;
    let list = if list.is_empty() {
        null()
    } else {
        list.as_ptr()
    };
    let sampler = unsafe { clCreateSamplerWithProperties(rig.context, list, &mut code) };
    if code == CL_SUCCESS {
        Ok(sampler)
    } else {
        Err(code)
    }
}

const COORDS: u64 = CL_SAMPLER_NORMALIZED_COORDS as u64;
const ADDRESSING: u64 = CL_SAMPLER_ADDRESSING_MODE as u64;
const FILTER: u64 = CL_SAMPLER_FILTER_MODE as u64;

#[test]
fn what_is_not_said_is_the_default() {
    let rig = Rig::new();
    for list in [&[] as &[u64], &[0]] {
        let sampler = make(&rig, list).unwrap();
        assert_eq!(info::<u32>(sampler, CL_SAMPLER_NORMALIZED_COORDS), CL_TRUE);
        assert_eq!(
            info::<u32>(sampler, CL_SAMPLER_ADDRESSING_MODE),
            CL_ADDRESS_CLAMP
        );
        assert_eq!(
            info::<u32>(sampler, CL_SAMPLER_FILTER_MODE),
            CL_FILTER_NEAREST
        );
        assert_eq!(
            info::<usize>(sampler, CL_SAMPLER_CONTEXT),
            rig.context as usize
        );
        assert_eq!(properties(sampler), list);
        assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
    }
    let list = [FILTER, u64::from(CL_FILTER_LINEAR), COORDS, 0, 0];
    let sampler = make(&rig, &list).unwrap();
    assert_eq!(info::<u32>(sampler, CL_SAMPLER_NORMALIZED_COORDS), CL_FALSE);
    assert_eq!(
        info::<u32>(sampler, CL_SAMPLER_FILTER_MODE),
        CL_FILTER_LINEAR
    );
    assert_eq!(properties(sampler), list);
    assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
}

#[test]
fn the_old_function_and_the_counts() {
    let rig = Rig::new();
    let mut code = 1;
    let (mode, filter) = (CL_ADDRESS_REPEAT, CL_FILTER_LINEAR);
    let sampler = unsafe { clCreateSampler(rig.context, CL_TRUE, mode, filter, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(info::<u32>(sampler, CL_SAMPLER_ADDRESSING_MODE), mode);
    assert_eq!(properties(sampler), []);
    assert_eq!(unsafe { clRetainSampler(sampler) }, CL_SUCCESS);
    assert_eq!(info::<u32>(sampler, CL_SAMPLER_REFERENCE_COUNT), 2);
    assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
    assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
    assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_INVALID_SAMPLER);
    assert_eq!(unsafe { clRetainSampler(rig.context) }, CL_INVALID_SAMPLER);
    for (coords, mode, filter) in [(2, mode, filter), (1, 0, filter), (1, mode, 0)] {
        let none = unsafe { clCreateSampler(rig.context, coords, mode, filter, &mut code) };
        assert_eq!((none, code), (null_mut(), CL_INVALID_VALUE));
    }
}

#[test]
fn wrong_properties_are_refused() {
    let rig = Rig::new();
    for list in [
        &[COORDS, 2, 0] as &[u64],
        &[ADDRESSING, 1, 0],
        &[FILTER, 1, 0],
        &[
            FILTER,
            u64::from(CL_FILTER_LINEAR),
            FILTER,
            u64::from(CL_FILTER_LINEAR),
            0,
        ],
        &[1, 1, 0],
        &[COORDS, 1 << 32, 0],
        &[COORDS | 1 << 32, 1, 0],
    ] {
        assert_eq!(make(&rig, list), Err(CL_INVALID_VALUE), "{list:?}");
    }
}
