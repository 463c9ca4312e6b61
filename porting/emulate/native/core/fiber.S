// Switch from one stack to another: what a called function has to preserve.
	.text
	.globl	eclosion_switch_stack
	.hidden	eclosion_switch_stack
	.type	eclosion_switch_stack, @function
// void eclosion_switch_stack(void** save, void* load)
eclosion_switch_stack:
	.cfi_startproc
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.cfi_endproc
	.size	eclosion_switch_stack, .-eclosion_switch_stack
	.section	.note.GNU-stack, "", @progbits
