#!/usr/bin/env bash
# `ci/validation.sh [ARGUMENT...]`: a run on a Vulkan device under the Khronos validation layer, which must have nothing
# to say. The arguments go to `classay run`; the device is the loader's first one, so VK_DRIVER_FILES chooses the driver.
# CLASSAY names the program. Without the layer (Debian: vulkan-validationlayers) nothing is run.
set -euo pipefail
layer=VK_LAYER_KHRONOS_validation
if ! ls /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json >/dev/null 2>&1; then
    echo "skipped: $layer is not installed"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# Every worker opens the log anew. A pipe keeps what the others have written.
mkfifo "$folder/said"
cat "$folder/said" >"$folder/log" &
reader=$!
exec 3>"$folder/said"
cat >"$folder/vk_layer_settings.txt" <<SETTINGS
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = $folder/said
SETTINGS
code=0
VK_INSTANCE_LAYERS=$layer VK_LAYER_SETTINGS_PATH=$folder \
    "${CLASSAY:-target/release/classay}" run --device vulkan --store "$folder/run.db" "$@" 3>&- || code=$?
exec 3>&-
wait "$reader"
if ! grep -q 'Validation Layer' "$folder/log"; then
    echo "the validation layer was not loaded" >&2
    exit 1
fi
if grep -E 'Error|Warning' "$folder/log" >"$folder/wrong"; then
    echo "the validation layer reports:" >&2
    sort "$folder/wrong" | uniq -c | sort -rn | head -20 >&2
    exit 1
fi
echo "the validation layer has nothing to say"
exit "$code"
