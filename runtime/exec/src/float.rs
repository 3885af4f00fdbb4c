//! The floating-point environment of kernels.
//!
//! A thread of the application may have changed how its processor rounds or treats
//! subnormal numbers, and a thread that it starts inherits that. While a thread runs a
//! kernel, it computes as IEEE 754 says by default: to nearest, with subnormals.

/// The default environment, for as long as this lives.
#[derive(Debug)]
pub(crate) struct FloatEnvironment {
    #[cfg(target_arch = "x86_64")]
    before: u32,
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    /// Round to nearest, subnormals kept, all exceptions masked, no flag raised.
    pub(super) const DEFAULT: u32 = 0x1f80;

    pub(super) fn read() -> u32 {
        let mut value = 0u32;
        // SAFETY: stores the register to a variable of its size.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
        value
    }

    pub(super) fn write(value: u32) {
        // SAFETY: the value is the default or one that was read before, so no reserved bit
        // is set. Code that is compiled for the default rounding runs between a change of
        // the application's and this, and this undoes it.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags))
        };
    }
}

impl FloatEnvironment {
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn of_kernels() -> Self {
        let before = control::read();
        if before != control::DEFAULT {
            control::write(control::DEFAULT);
        }
        Self { before }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn of_kernels() -> Self {
        Self {}
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for FloatEnvironment {
    fn drop(&mut self) {
        // The flags that kernels raised are nobody's business.
        if control::read() != self.before {
            control::write(self.before);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_the_default_and_comes_back() {
        // Round towards zero.
        control::write(control::DEFAULT | 0x6000);
        {
            let _environment = FloatEnvironment::of_kernels();
            assert_eq!(control::read(), control::DEFAULT);
        }
        let after = control::read();
        control::write(control::DEFAULT);
        assert_eq!(after, control::DEFAULT | 0x6000);
    }
}
