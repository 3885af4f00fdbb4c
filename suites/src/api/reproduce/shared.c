static inline void CL_CALLBACK free_shared(cl_command_queue of, cl_uint count, void *pointers[],
                                           void *data)
{
    int first = atomic_fetch_add(&freed.calls, 1) == 0;
    int others = of != queue || count != freed.count || data != &freed;
    for (cl_uint n = 0; n < count && n < freed.count; n++) {
        others += pointers[n] != freed.wanted[n];
        if (first && pointers[n] == freed.wanted[n])
            clSVMFree(context, pointers[n]);
    }
    atomic_fetch_add(&freed.others, others);
}

/* clEnqueueSVMFree with a callback, held back by a user event. */
static inline int shared_freed(cl_uint allocations)
{
    void *pointers[64];
    cl_event gate = new_user_event(context), event;
    freed.count = allocations;
    atomic_store(&freed.calls, 0);
    atomic_store(&freed.others, 0);
    for (cl_uint n = 0; n < allocations; n++) {
        pointers[n] = freed.wanted[n] = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
        TRY("clSVMAlloc", pointers[n] ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    }
    TRY("clEnqueueSVMFree",
        clEnqueueSVMFree(queue, allocations, pointers, free_shared, &freed, 1, &gate, &event));
    /* The list is the caller's again. */
    memset(pointers, 0, sizeof pointers);
    TRY("clFlush", clFlush(queue));
    pause_microseconds(200);
    if (atomic_load(&freed.calls))
        violation(STORY, "memory was freed while the command was held back");
    if (status_of(event) < CL_SUBMITTED)
        violation(STORY, "what is held back has the status %d", status_of(event));
    TRY("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE));
    TRY("clFinish", clFinish(queue));
    if (status_of(event) != CL_COMPLETE)
        violation(STORY, "what was waited for has the status %d", status_of(event));
    if (atomic_load(&freed.calls) != 1)
        violation(STORY, "callbacks of clEnqueueSVMFree were called %d times, not once",
                  atomic_load(&freed.calls));
    if (atomic_load(&freed.others))
        violation(STORY, "clEnqueueSVMFree was to free other pointers");
    clReleaseEvent(event);
    clReleaseEvent(gate);
    return 1;
}

