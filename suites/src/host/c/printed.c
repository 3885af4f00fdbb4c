/* ---- what kernels print ------------------------------------------------------------------------ */

#include <unistd.h>

static FILE *listening;         /* where standard output goes while somebody listens */
static int own_output = -1;     /* standard output at other times */

static inline void listen_to_output(void)
{
    fflush(NULL);
    if (own_output < 0)
        own_output = dup(1);
    if (listening)
        fclose(listening);
    listening = tmpfile();
    if (listening)
        dup2(fileno(listening), 1);
}

/* What came since then, as an answer; none where nothing did: then the implementation prints elsewhere. */
static inline void heard(unsigned n)
{
    fflush(NULL);
    if (!listening)
        return;
    dup2(own_output, 1);
    fseek(listening, 0, SEEK_END);
    long length = ftell(listening);
    rewind(listening);
    unsigned char *to = answer(n, length > 0 ? (size_t)length : 0);
    if (length > 0 && fread(to, 1, (size_t)length, listening) == (size_t)length)
        answered(n, CL_SUCCESS);
    fclose(listening);
    listening = NULL;
}

/* Whether a text is what a pattern says: {one|other} is either, * any letters, digits and underscores. */
static inline int matches(const char *pattern, const char *text)
{
    if (*pattern == 0)
        return *text == 0;
    if (*pattern == '{') {
        const char *end = strchr(pattern, '}');
        int right = 0;
        for (const char *one = pattern + 1; one <= end && !right; one += strcspn(one, "|\175") + 1) {
            int length = (int)strcspn(one, "|\175");
            char *all = (char *)room(strlen(pattern) + 1);
            sprintf(all, "%.*s%s", length, one, end + 1);
            right = matches(all, text);
            free(all);
        }
        return right;
    }
    if (*pattern == '*') {
        while (!matches(pattern + 1, text)) {
            int word = *text == '_' || (*text >= '0' && *text <= '9') ||
                       (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
            if (!word)
                return 0;
            text++;
        }
        return 1;
    }
    return *pattern == *text && matches(pattern + 1, text + 1);
}

/* As many of each byte. */
static inline int same_bytes(const unsigned char *seen, size_t length, const char *const *lines,
                             size_t count)
{
    long each[256] = { 0 };
    for (size_t n = 0; n < length; n++)
        each[seen[n]]++;
    for (size_t n = 0; n < count; n++) {
        for (const char *c = lines[n]; *c; c++)
            each[(unsigned char)*c]--;
        each['\n']--;
    }
    for (int n = 0; n < 256; n++)
        if (each[n])
            return 0;
    return 1;
}

/* The lines that begin with ~ are these, in this order or in any. */
static inline void expect_printed(const char *rules, const char *name, const unsigned char *seen,
                                  size_t length, const char *const *lines, size_t count,
                                  int in_order)
{
    char *text = (char *)room(length + 1), *came = (char *)room(count), *next = text;
    size_t at = 0;
    memcpy(text, seen, length);
    int intermixed = !in_order && same_bytes(seen, length, lines, count);
    while (next && !intermixed) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        if (*line != '~')
            continue;
        size_t of = in_order ? at : 0;
        while (!in_order && of < count && (came[of] || !matches(lines[of], line)))
            of++;
        at++;
        if (of >= count) {
            violation(rules, "%s: \"%s\" is a line too many", name, line);
            break;
        }
        came[of] = 1;
        if (!matches(lines[of], line)) {
            violation(rules, "%s: line %zu is \"%s\", not \"%s\"", name, of, line, lines[of]);
            break;
        }
    }
    for (size_t n = 0; n < count && !next && !intermixed; n++)
        if (!came[n]) {
            violation(rules, "%s: a line \"%s\" is missing", name, lines[n]);
            break;
        }
    free(text);
    free(came);
}

