/* ---- what is held back ------------------------------------------------------------------------- */

/* Everything that waits for a gate: held back before it opens, complete after it. */
static inline int held_then_done(cl_command_queue on, cl_event gate, cl_event behind)
{
    TRY("clFlush", clFlush(on));
    pause_microseconds(1000);
    cl_int status = status_of(behind);
    if (status < CL_SUBMITTED)
        violation(STORY, "what is held back has the status %d", status);
    TRY("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE));
    TRY("clFinish", clFinish(on));
    status = status_of(behind);
    if (status != CL_COMPLETE)
        violation(STORY, "what was waited for has the status %d", status);
    return 1;
}

/* A user event that fails, by itself. */
static inline int failed_event(cl_int failure)
{
    cl_event event = new_user_event(context);
    TRY("clSetUserEventStatus", clSetUserEventStatus(event, failure));
    if (status_of(event) != failure)
        violation(STORY, "a user event has another status than it was set to");
    const cl_int code = clWaitForEvents(1, &event);
    if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        violation(STORY, "clWaitForEvents returned %d for an event that had failed", code);
    clReleaseEvent(event);
    return 1;
}

enum legacy { MARKER, BARRIER, WAIT_FOR_EVENTS };

/* An out-of-order queue: a held marker, a function of OpenCL 1.1, and a fill behind it. */
static inline int legacy(enum legacy call)
{
    cl_command_queue own = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem to = new_buffer(context, BYTES, CL_MEM_READ_WRITE);
    cl_event gate = new_user_event(context), first, between = NULL, behind;
    const cl_uint word = 0;
    TRY("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(own, 1, &gate, &first));
    if (call == MARKER)
        TRY("clEnqueueMarker", clEnqueueMarker(own, &between));
    else if (call == BARRIER)
        TRY("clEnqueueBarrier", clEnqueueBarrier(own));
    else
        TRY("clEnqueueWaitForEvents", clEnqueueWaitForEvents(own, 1, &first));
    TRY("clEnqueueFillBuffer", clEnqueueFillBuffer(own, to, &word, 4, 0, 64, 0, NULL, &behind));
    int done = held_then_done(own, gate, between ? between : behind);
    const cl_event events[] = { gate, first, behind };
    for (unsigned n = 0; n < 3; n++)
        clReleaseEvent(events[n]);
    if (between)
        clReleaseEvent(between);
    clReleaseMemObject(to);
    clReleaseCommandQueue(own);
    return done;
}

