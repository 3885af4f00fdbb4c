/* ---- launches ---------------------------------------------------------------------------------- */

/* The buffers of a kernel, by binding: the first five are words, the others the first one again, as
   words or as texels of an image. */
enum { BUFFERS = sizeof as_texels / sizeof as_texels[0] };

static VkDescriptorType kind(uint32_t binding)
{
    if (as_texels[binding])
        return PLANES ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;

static void lay_out(void)
{
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    for (uint32_t n = 0; n < BUFFERS; n++)
        bindings[n] = (VkDescriptorSetLayoutBinding){
            .binding = n,
            .descriptorType = kind(n),
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BUFFERS,
        .pBindings = bindings};
    must(vkCreateDescriptorSetLayout(device, &set, NULL, &set_layout),
         "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo whole = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .setLayoutCount = 1,
                                        .pSetLayouts = &set_layout};
    must(vkCreatePipelineLayout(device, &whole, NULL, &layout), "vkCreatePipelineLayout");
}

/* The shader of a part, for workgroups of the size that the part has. */
static VkPipeline build(const struct part *part)
{
    VkShaderModuleCreateInfo about = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = sizeof module,
                                      .pCode = module};
    VkShaderModule shader;
    must(vkCreateShaderModule(device, &about, NULL, &shader), "vkCreateShaderModule");
    uint32_t numbers[4] = {part->local_size, 1, 1, part->local_words};
    VkSpecializationMapEntry entries[4] = {
        {0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {part->local_id, 12, 4}};
    VkSpecializationInfo special = {part->local_words ? 4 : 3, entries, sizeof numbers, numbers};
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = QUEUES > 1 ? VK_PIPELINE_CREATE_DISPATCH_BASE : 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader,
                  .pName = part->entry,
                  .pSpecializationInfo = &special},
        .layout = layout};
    VkPipeline pipeline;
    must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline),
         "vkCreateComputePipelines");
    return pipeline;
}

/* The buffers of a part. */
static VkDescriptorSet bind(const struct words *const words[BUFFERS])
{
    VkDescriptorPoolSize sizes[3] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, BUFFERS},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, BUFFERS}};
    VkDescriptorPoolCreateInfo about = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                        .maxSets = 1,
                                        .poolSizeCount = 3,
                                        .pPoolSizes = sizes};
    VkDescriptorPool pool;
    must(vkCreateDescriptorPool(device, &about, NULL, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout};
    VkDescriptorSet set;
    must(vkAllocateDescriptorSets(device, &allocate, &set), "vkAllocateDescriptorSets");
    for (uint32_t n = 0; n < BUFFERS; n++) {
        VkDescriptorBufferInfo buffer = {words[n]->buffer, 0, VK_WHOLE_SIZE};
        VkBufferViewCreateInfo texels = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                         .buffer = words[n]->buffer,
                                         .format = VK_FORMAT_R32_UINT,
                                         .range = VK_WHOLE_SIZE};
        VkBufferView view = VK_NULL_HANDLE;
        VkDescriptorImageInfo image = {.imageLayout = VK_IMAGE_LAYOUT_GENERAL};
#if PLANES
        if (as_texels[n])
            image.imageView = plane_of(words[n]);
#endif
        if (as_texels[n] && !PLANES)
            must(vkCreateBufferView(device, &texels, NULL, &view), "vkCreateBufferView");
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = n,
                                      .descriptorCount = 1,
                                      .descriptorType = kind(n),
                                      .pBufferInfo = &buffer,
                                      .pImageInfo = &image,
                                      .pTexelBufferView = &view};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    return set;
}

static void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                    VkAccessFlags used)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = written,
                              .dstAccessMask = used};
    vkCmdPipelineBarrier(commands, from, to, 0, written || used, &memory, 0, NULL, 0, NULL);
}

/* What the test has between a part and the one before it; without any, an order of execution. */
static void order(uint32_t part)
{
    const VkPipelineStageFlags shader = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    for (size_t n = 0; n < sizeof dependencies / sizeof dependencies[0]; n++)
        if (dependencies[n].part == part)
            barrier(shader, dependencies[n].available ? VK_ACCESS_SHADER_WRITE_BIT : 0, shader,
                    dependencies[n].visible
                        ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT : 0);
}

/* The work-groups of a part from one to before another. */
static void dispatch(uint32_t p, uint32_t first, uint32_t end, const VkPipeline pipelines[PARTS],
                     const VkDescriptorSet sets[PARTS])
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[p]);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[p], 0,
                            NULL);
    if (first == 0)
        vkCmdDispatch(commands, end, 1, 1);
    else
        vkCmdDispatchBase(commands, first, 0, 0, end - first, 1, 1);
}

/* Where the memory of a launch is, for who plays it. */
struct launch {
    size_t which;
    const VkPipeline *pipelines;
    const VkDescriptorSet *sets;
    uint32_t *environment, *memory, *results;
};

#if HOSTS
struct player {
    pthread_t thread;
    const struct launch *launch;
    const struct host *host;
    uint32_t *arrived;
};

/* A host thread goes through the instances, and meets the others of its step before a block of them. */
static void *go_through(void *of)
{
    const struct player *player = of;
    const struct launch *launch = player->launch;
    const uint32_t *e = launch->environment;
    uint32_t together = 0;
    for (uint32_t position = 0; position < e[COUNT]; position++) {
        if (player->host->together > 1 && position % BLOCK == 0) {
            together += player->host->together;
            __atomic_fetch_add(player->arrived, 1, __ATOMIC_RELAXED);
            for (uint32_t left = PATIENCE;
                 left && __atomic_load_n(player->arrived, __ATOMIC_RELAXED) < together; left--)
                ;
        }
        uint32_t k = (uint32_t)(((uint64_t)position * e[ORDER] + e[ORDER + 1]) % e[COUNT]);
        player->host->play(e, launch->memory, launch->results, k);
    }
    return NULL;
}

static void play_hosts(const struct launch *launch, uint32_t step)
{
    struct player players[HOSTS];
    uint32_t arrived = 0;
    for (uint32_t h = 0; h < HOSTS; h++)
        if (hosts[h].step == step) {
            players[h] = (struct player){.launch = launch, .host = &hosts[h], .arrived = &arrived};
            if (pthread_create(&players[h].thread, NULL, go_through, &players[h]) != 0)
                lacks("a thread of the host");
        }
    for (uint32_t h = 0; h < HOSTS; h++)
        if (hosts[h].step == step)
            pthread_join(players[h].thread, NULL);
}
#else
static void play_hosts(const struct launch *launch, uint32_t step)
{
    (void)launch;
    (void)step;
}
#endif

/* Plays a launch. The parts follow each other in one queue where the launch begins and ends. Those of several queues,
   and those beside threads of the host, are submissions, in each step one to each queue at once, and all is complete
   before the next step. */
static void play(const struct launch *launch)
{
    const uint32_t(*bounds)[QUEUES + 1] = &groups[launch->which * PARTS];
    int is_one = FAMILIES == 1 && HOSTS == 0;
    for (uint32_t p = 0; p < PARTS; p++)
        is_one &= QUEUES == 1 || bounds[p][1] == bounds[p][QUEUES];
    if (is_one) {
        for (uint32_t p = 0; p < PARTS; p++) {
            order(p);
            dispatch(p, 0, bounds[p][QUEUES], launch->pipelines, launch->sets);
        }
        return;
    }
    submit(0);
    finish(0);
    for (uint32_t s = 0; s < STEPS; s++) {
        int has[ALL] = {0};
        for (uint32_t p = 0; p < PARTS; p++)
            for (uint32_t q = 0; q < QUEUES; q++) {
                uint32_t first = bounds[p][q], end = bounds[p][q + 1];
                uint32_t n = parts[p].family * QUEUES + q;
                if (parts[p].step != s || first == end)
                    continue;
                begin(n);
                dispatch(p, first, end, launch->pipelines, launch->sets);
                barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
                submit(n);
                has[n] = 1;
            }
        play_hosts(launch, s);
        for (uint32_t n = 0; n < ALL; n++)
            if (has[n])
                finish(n);
    }
    begin(0);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
    choose(argc, argv);
    prepare();

    const size_t room = MEMORY_WORDS + 9 * PLANES; /* a row to its end, and what an image may add */
    struct words memory = HOSTS ? on_host(room) : on_device(room);
    struct words results = HOSTS ? on_host(RESULT_WORDS) : on_device(RESULT_WORDS);
    struct words meeting = on_device(MEETING_WORDS), scratch = on_device(SCRATCH_WORDS);
    struct words initial = on_host(MEMORY_WORDS), ended = on_host(MEMORY_WORDS);
    struct words unset = on_host(RESULT_WORDS), seen = on_host(RESULT_WORDS);
    struct words zeros = on_host(MEETING_WORDS);
    memset(initial.host, 0, initial.bytes);
    memset(zeros.host, 0, zeros.bytes);
    start(initial.host, unset.host);
    lay_out();
    struct words told[PARTS], environment[PARTS];
    VkPipeline pipelines[PARTS];
    VkDescriptorSet sets[PARTS];
    for (uint32_t p = 0; p < PARTS; p++) {
        told[p] = on_host(ENVIRONMENT_WORDS);
        environment[p] = on_device(ENVIRONMENT_WORDS);
        pipelines[p] = parts[p].entry[0] ? build(&parts[p]) : VK_NULL_HANDLE;
        const struct words *words[BUFFERS] = {&memory, &results, &meeting, &environment[p], &scratch};
        for (uint32_t n = 5; n < BUFFERS; n++)
            words[n] = &memory;
        sets[p] = bind(words);
    }

    const VkPipelineStageFlags shader = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
    signal(SIGALRM, hung);
    unsigned long long instances = 0, launches = 0;
    double until = now() + seconds;
    do {
        alarm(60); /* for a launch */
        size_t which = launches % LAUNCHES;
        begin(0);
#if PLANES
        if (launches == 0)
            make_general();
#endif
        copy(&initial, &memory);
        copy(&unset, &results);
        copy(&zeros, &meeting);
        for (uint32_t p = 0; p < PARTS; p++) {
            memcpy(told[p].host, environments[which * PARTS + p], sizeof environments[0]);
            told[p].host[SEED] += (uint32_t)launches * 0x9e3779b9u;
            copy(&told[p], &environment[p]);
        }
        barrier(transfer, VK_ACCESS_TRANSFER_WRITE_BIT, shader | VK_PIPELINE_STAGE_HOST_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT |
                    VK_ACCESS_HOST_WRITE_BIT);
        struct launch launch = {which, pipelines, sets, told[0].host, memory.host, results.host};
        play(&launch);
        barrier(shader, VK_ACCESS_SHADER_WRITE_BIT, transfer, VK_ACCESS_TRANSFER_READ_BIT);
        copy(&memory, &ended);
        copy(&results, &seen);
        barrier(transfer, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                VK_ACCESS_HOST_READ_BIT);
        submit(0);
        finish(0);
        for (uint32_t k = 0; k < told[0].host[COUNT]; k++)
            look(told[0].host, ended.host, seen.host, k);
        instances += told[0].host[COUNT];
        launches++;
    } while (now() < until);
    end(instances, launches);
}
