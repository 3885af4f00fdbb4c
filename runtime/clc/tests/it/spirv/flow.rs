//! Branches, values by where control comes from, calls.

use super::{HEAD, TYPES, module, outputs, values};

/// Two values that change places on each way round: the moves are made all at once.
#[test]
fn values_of_a_loop_change_places() {
    let body = "
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %i32 %c0 %entry %next %head
        %a = OpPhi %i32 %c5 %entry %b %head
        %b = OpPhi %i32 %c7 %entry %a %head
        %next = OpIAdd %i32 %i %c1
        %more = OpSLessThan %bool %next %c2
        OpLoopMerge %end %head None
        OpBranchConditional %more %head %end
        %end = OpLabel";
    // The second time round a is what b was; after the loop the values are those of the last time.
    assert_eq!(values("", body, &["%a", "%b", "%i", "%next"]), [7, 5, 1, 2]);
}

/// An edge back and an edge out of one block: what the loop computed last is not overwritten on the way out.
#[test]
fn a_value_of_a_loop_is_kept_on_the_way_out() {
    let body = "
        OpBranch %head
        %head = OpLabel
        %sum = OpPhi %i32 %c0 %entry %more %head
        %more = OpIAdd %i32 %sum %c5
        %again = OpSLessThan %bool %more %wide
        OpBranchConditional %again %head %end
        %end = OpLabel
        %both = OpPhi %i32 %sum %head";
    let constants = "%wide = OpConstant %i32 12";
    assert_eq!(
        values(constants, body, &["%sum", "%more", "%both"]),
        [10, 15, 10]
    );
}

/// Compilers write what comes after a loop before its body, and blocks that nothing leads to.
#[test]
fn blocks_may_stand_in_any_order() {
    let body = "
        OpBranch %head
        %end = OpLabel
        %last = OpPhi %i32 %twice %body
        %sum = OpIAdd %i32 %last %twice
        OpBranch %done
        %lost = OpLabel
        %never = OpIAdd %i32 %sum %c1
        OpBranch %done
        %body = OpLabel
        %twice = OpIAdd %i32 %i %i
        %next = OpIAdd %i32 %i %c1
        %more = OpSLessThan %bool %next %c5
        OpBranchConditional %more %head %end
        %head = OpLabel
        %i = OpPhi %i32 %c0 %entry %next %body
        OpBranch %body
        %done = OpLabel
        %found = OpPhi %i32 %sum %end %never %lost";
    assert_eq!(values("", body, &["%found", "%i"]), [16, 4]);
}

#[test]
fn switches_choose_and_fall_to_the_default() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k"
        {TYPES}
        %g_ptr = OpTypeFunction %i32 %i32
        %choose = OpFunction %i32 None %g_ptr
        %x = OpFunctionParameter %i32
        %start = OpLabel
        OpSelectionMerge %join None
        OpSwitch %x %other 1 %one -7 %seven
        %one = OpLabel
        OpBranch %join
        %seven = OpLabel
        OpBranch %other
        %other = OpLabel
        %y = OpPhi %i32 %c2 %start %c3 %seven
        OpBranch %join
        %join = OpLabel
        %z = OpPhi %i32 %c5 %one %y %other
        OpReturnValue %z
        OpFunctionEnd
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %entry = OpLabel
        %r1 = OpFunctionCall %i32 %choose %c1
        %r2 = OpFunctionCall %i32 %choose %cm7
        %r3 = OpFunctionCall %i32 %choose %c0
        %p1 = OpPtrAccessChain %g_i32 %out %l1
        OpStore %out %r1
        OpStore %p1 %r2
        %p2 = OpPtrAccessChain %g_i32 %p1 %l1
        OpStore %p2 %r3
        OpReturn
        OpFunctionEnd
        "#
    );
    assert_eq!(outputs::<i32>(&text, 3), [5, 3, 2]);
}

/// A struct is a value: a callee changes its own, and what it returns is the caller's.
#[test]
fn structs_travel_by_value() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k"
        {TYPES}
        %pair = OpTypeStruct %i32 %v2i32
        %swap_type = OpTypeFunction %pair %pair
        %w = OpConstantComposite %v2i32 %c5 %c7
        %start = OpConstantComposite %pair %c1 %w
        %swap = OpFunction %pair None %swap_type
        %x = OpFunctionParameter %pair
        %l = OpLabel
        %x0 = OpCompositeExtract %i32 %x 0
        %x11 = OpCompositeExtract %i32 %x 1 1
        %y = OpCompositeInsert %pair %x11 %x 0
        %z = OpCompositeInsert %pair %x0 %y 1 1
        OpReturnValue %z
        OpFunctionEnd
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %entry = OpLabel
        OpBranch %head
        %head = OpLabel
        %v = OpPhi %pair %start %entry %next %head
        %i = OpPhi %i32 %c0 %entry %more %head
        %next = OpFunctionCall %pair %swap %v
        %more = OpIAdd %i32 %i %c1
        %again = OpSLessThan %bool %more %c3
        OpBranchConditional %again %head %end
        %end = OpLabel
        %chosen = OpSelect %pair %true %next %v
        %a = OpCompositeExtract %i32 %v 0
        %b = OpCompositeExtract %i32 %chosen 0
        %c = OpCompositeExtract %i32 %chosen 1 1
        %p1 = OpPtrAccessChain %g_i32 %out %l1
        %p2 = OpPtrAccessChain %g_i32 %p1 %l1
        OpStore %out %a
        OpStore %p1 %b
        OpStore %p2 %c
        OpReturn
        OpFunctionEnd
        "#
    );
    assert_eq!(outputs::<i32>(&text, 3), [1, 7, 1]);
}

/// Places of instructions are what messages of the executor name.
#[test]
fn lines_are_those_of_the_source() {
    let body = "OpLine %file 42 7\n%q = OpSDiv %i32 %c5 %c0\nOpStore %out %q";
    let shown = super::built(&module("%file = OpString \"a.cl\"", body));
    let shown = shown.module.to_string();
    assert!(shown.contains("sdiv 5:i32, 0:i32  ; 42:7"), "{shown}");
}
