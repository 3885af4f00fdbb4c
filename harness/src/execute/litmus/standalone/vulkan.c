/* ---- the device -------------------------------------------------------------------------------- */

static VkPhysicalDevice physical;
static VkDevice device;
/* Of each queue family that the test has. */
static uint32_t families[FAMILIES];
/* Of each so many queues, with what is recorded and waited for on each. */
enum { ALL = FAMILIES * QUEUES };
static VkQueue queues[ALL];
static VkCommandBuffer buffers[ALL];
static VkFence fences[ALL];
/* The one that is being recorded. */
static VkCommandBuffer commands;

/* A call that cannot fail in a test that means anything. */
static void must(VkResult result, const char *call)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s gives %d: the test cannot be made\n", call, (int)result);
        exit(2);
    }
}

static void lacks(const char *what)
{
    fprintf(stderr, "the device lacks %s: the test cannot be made\n", what);
    exit(2);
}

static void hung(int number)
{
    static const char text[] = "a launch does not come to its end\n";
    (void)number;
    if (write(1, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

/* The device that the second argument chooses, with what the module is written for. */
static void choose(int argc, char **argv)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo about = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pApplicationInfo = &application};
    VkInstance instance;
    must(vkCreateInstance(&about, NULL, &instance), "vkCreateInstance");
    VkPhysicalDevice all[64];
    uint32_t count = 64, number = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &count, all);
    must(listed == VK_INCOMPLETE ? VK_SUCCESS : listed, "vkEnumeratePhysicalDevices");
    if (number >= count) {
        fprintf(stderr, "there is no device %u\n", number);
        exit(2);
    }
    physical = all[number];
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    printf("%s, driver %#x\n", properties.deviceName, properties.driverVersion);
    fflush(stdout);
    if (properties.apiVersion < VK_API_VERSION_1_2)
        lacks("Vulkan 1.2");

    VkPhysicalDeviceVulkan11Properties subgroups = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceProperties2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                        .pNext = &subgroups};
    vkGetPhysicalDeviceProperties2(physical, &more);
    if (SUBGROUP && subgroups.subgroupSize != SUBGROUP)
        lacks("subgroups of the size that this is written for");
    VkPhysicalDeviceVulkan12Features has12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &has12};
    vkGetPhysicalDeviceFeatures2(physical, &has);
    if (MEMORY_MODEL && !has12.vulkanMemoryModel)
        lacks("the Vulkan memory model");
    if (DEVICE_SCOPE && !has12.vulkanMemoryModelDeviceScope)
        lacks("the scope Device of the memory model");
    if (INT64 && !has.features.shaderInt64)
        lacks("64-bit integers in shaders");
    if (INT64_ATOMICS && !has12.shaderBufferInt64Atomics)
        lacks("64-bit atomics on buffers");
    VkPhysicalDeviceVulkan12Features use12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .shaderBufferInt64Atomics = INT64_ATOMICS,
        .vulkanMemoryModel = MEMORY_MODEL,
        .vulkanMemoryModelDeviceScope = DEVICE_SCOPE,
        .vulkanMemoryModelAvailabilityVisibilityChains =
            MEMORY_MODEL && has12.vulkanMemoryModelAvailabilityVisibilityChains,
    };
    VkPhysicalDeviceFeatures2 use = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &use12,
                                     .features = {.shaderInt64 = INT64}};
    VkQueueFamilyProperties all_families[64];
    uint32_t family_count = 64, found = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &family_count, all_families);
    for (uint32_t n = 0; n < family_count && found < FAMILIES; n++)
        if (all_families[n].queueFlags & VK_QUEUE_COMPUTE_BIT)
            families[found++] = n;
    if (found < FAMILIES)
        lacks(FAMILIES == 1 ? "a queue that computes" : "so many queue families that compute");
    float priorities[QUEUES];
    for (uint32_t q = 0; q < QUEUES; q++)
        priorities[q] = 1;
    VkDeviceQueueCreateInfo wanted[FAMILIES];
    for (uint32_t f = 0; f < FAMILIES; f++) {
        uint32_t there = all_families[families[f]].queueCount;
        wanted[f] = (VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = families[f],
            .queueCount = there < QUEUES ? there : QUEUES,
            .pQueuePriorities = priorities};
    }
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = &use,
                                 .queueCreateInfoCount = FAMILIES,
                                 .pQueueCreateInfos = wanted};
    must(vkCreateDevice(physical, &create, NULL, &device), "vkCreateDevice");
    /* Where the device has fewer, some are one. */
    for (uint32_t n = 0; n < ALL; n++) {
        uint32_t f = n / QUEUES;
        vkGetDeviceQueue(device, families[f], n % QUEUES % wanted[f].queueCount, &queues[n]);
    }
}

static void prepare(void)
{
    for (uint32_t n = 0; n < ALL; n++) {
        VkCommandPoolCreateInfo about = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                         .queueFamilyIndex = families[n / QUEUES]};
        VkCommandPool pool;
        must(vkCreateCommandPool(device, &about, NULL, &pool), "vkCreateCommandPool");
        VkCommandBufferAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = pool,
            .commandBufferCount = 1};
        must(vkAllocateCommandBuffers(device, &allocate, &buffers[n]), "vkAllocateCommandBuffers");
        VkFenceCreateInfo open = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        must(vkCreateFence(device, &open, NULL, &fences[n]), "vkCreateFence");
    }
}

static void begin(uint32_t n)
{
    VkCommandBufferBeginInfo once = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    commands = buffers[n];
    must(vkBeginCommandBuffer(commands, &once), "vkBeginCommandBuffer");
}

static void submit(uint32_t n)
{
    must(vkEndCommandBuffer(buffers[n]), "vkEndCommandBuffer");
    VkSubmitInfo about = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &buffers[n]};
    must(vkQueueSubmit(queues[n], 1, &about, fences[n]), "vkQueueSubmit");
}

static void finish(uint32_t n)
{
    must(vkWaitForFences(device, 1, &fences[n], VK_TRUE, UINT64_MAX), "vkWaitForFences");
    must(vkResetFences(device, 1, &fences[n]), "vkResetFences");
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Words in memory of the device, and where the host finds them, or NULL. */
struct words {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *host;
    VkDeviceSize bytes;
};

static struct words take(size_t count, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags liked)
{
    struct words words = {.bytes = 4 * (count ? count : 1)};
    VkBufferCreateInfo about = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = words.bytes,
                                .sharingMode = FAMILIES > 1 ? VK_SHARING_MODE_CONCURRENT
                                                            : VK_SHARING_MODE_EXCLUSIVE,
                                .queueFamilyIndexCount = FAMILIES,
                                .pQueueFamilyIndices = families,
                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                         VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    must(vkCreateBuffer(device, &about, NULL, &words.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, words.buffer, &needs);
    VkPhysicalDeviceMemoryProperties has;
    vkGetPhysicalDeviceMemoryProperties(physical, &has);
    uint32_t best = has.memoryTypeCount;
    for (uint32_t n = has.memoryTypeCount; n-- > 0;) {
        VkMemoryPropertyFlags flags = has.memoryTypes[n].propertyFlags;
        if (!(needs.memoryTypeBits >> n & 1) || (flags & wanted) != wanted)
            continue;
        if (best == has.memoryTypeCount || (flags & liked) == liked ||
            (has.memoryTypes[best].propertyFlags & liked) != liked)
            best = n;
    }
    if (best == has.memoryTypeCount)
        lacks("memory for a buffer");
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = best};
    must(vkAllocateMemory(device, &allocate, NULL, &words.memory), "vkAllocateMemory");
    must(vkBindBufferMemory(device, words.buffer, words.memory, 0), "vkBindBufferMemory");
    if (wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        void *at;
        must(vkMapMemory(device, words.memory, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory");
        words.host = at;
    }
    return words;
}

static struct words on_device(size_t count)
{
    return take(count, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static struct words on_host(size_t count)
{
    return take(count, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
}

/* Words that go to the device at the beginning of a launch, or come from it at its end. */
static void copy(const struct words *from, const struct words *to)
{
    VkBufferCopy all = {0, 0, from->bytes < to->bytes ? from->bytes : to->bytes};
    vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &all);
}

#if PLANES
/* An image of two dimensions over words, with as many texels a row: linear, so that both are the same memory. */
static VkImage plane;

static VkImageView plane_of(const struct words *words)
{
    VkImageCreateInfo about = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = VK_FORMAT_R32_UINT,
                               .extent = {PLANES, (MEMORY_WORDS + PLANES - 1) / PLANES, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_LINEAR,
                               .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                               .sharingMode = FAMILIES > 1 ? VK_SHARING_MODE_CONCURRENT
                                                           : VK_SHARING_MODE_EXCLUSIVE,
                               .queueFamilyIndexCount = FAMILIES,
                               .pQueueFamilyIndices = families,
                               .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
    if (plane == VK_NULL_HANDLE) {
        must(vkCreateImage(device, &about, NULL, &plane), "vkCreateImage");
        VkMemoryRequirements needs;
        vkGetImageMemoryRequirements(device, plane, &needs);
        VkImageSubresource part = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
        VkSubresourceLayout lies;
        vkGetImageSubresourceLayout(device, plane, &part, &lies);
        if (needs.size > words->bytes || lies.offset != 0 || lies.rowPitch != 4 * PLANES)
            lacks("linear images that are rows of words one after the other");
        must(vkBindImageMemory(device, plane, words->memory, 0), "vkBindImageMemory");
    }
    VkImageViewCreateInfo whole = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = plane,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R32_UINT,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;
    must(vkCreateImageView(device, &whole, NULL, &view), "vkCreateImageView");
    return view;
}

/* Its contents stay. */
static void make_general(void)
{
    VkImageMemoryBarrier to = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                               .oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED,
                               .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                               .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                               .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                               .image = plane,
                               .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &to);
}
#endif

