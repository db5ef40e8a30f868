/* Host requests for guests in C. No library: only this file.
 *
 *   char *response = bp_request("{\"method\":\"browser.capturePage\",\"params\":{\"url\":\"https://example.com/\"}}");
 *
 * The response is JSON, {"result": ...} or {"error": {"code", "message"}}, ended by a zero byte; free() it. NULL when
 * there is no memory for it. The call blocks until the host has responded; other guests and clients do not wait for it.
 */
#ifndef BROWSER_PILOT_H
#define BROWSER_PILOT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__attribute__((import_module("browser_pilot"), import_name("host_request")))
extern uint64_t bp_host_request(const char *request, size_t length);

/* The host writes its response to memory from here. One byte more, for a zero at its end. */
__attribute__((export_name("browser_pilot_alloc")))
void *bp_alloc(size_t length) {
  return malloc(length + 1);
}

static char *bp_request(const char *json) {
  uint64_t response = bp_host_request(json, strlen(json));
  char *text = (char *)(uintptr_t)(uint32_t)(response >> 32);
  if (text != NULL) text[(uint32_t)response] = '\0';
  return text;
}

/* The value of the first "key" in the JSON text if it is a string, decoded except for \u escapes above U+07FF. */
static char *bp_string(const char *json, const char *key) {
  size_t length = strlen(key);
  for (const char *at = strchr(json, '"'); at != NULL; at = strchr(at + 1, '"')) {
    if (strncmp(at + 1, key, length) != 0 || at[length + 1] != '"') continue;
    const char *value = at + length + 2;
    value += strspn(value, " \t");
    if (*value++ != ':') continue;
    value += strspn(value, " \t");
    if (*value++ != '"') continue;
    char *text = malloc(strlen(value) + 1), *end = text;
    for (; text != NULL && *value && *value != '"'; value++) {
      if (*value != '\\') {
        *end++ = *value;
        continue;
      }
      switch (*++value) {
        case 'n': *end++ = '\n'; break;
        case 't': *end++ = '\t'; break;
        case 'r': *end++ = '\r'; break;
        case 'u': {
          char digits[5] = {0};
          strncpy(digits, value + 1, 4);
          long code = strtol(digits, NULL, 16);
          if (code < 0x80) *end++ = (char)code;
          else if (code < 0x800) { *end++ = (char)(0xC0 | code >> 6); *end++ = (char)(0x80 | (code & 0x3F)); }
          else *end++ = '?';
          value += strlen(digits);
          break;
        }
        default: *end++ = *value;
      }
    }
    if (text != NULL) *end = '\0';
    return text;
  }
  return NULL;
}

/* The text as a JSON string, with its quotes. */
static char *bp_quoted(const char *text) {
  char *quoted = malloc(2 * strlen(text) + 3), *end = quoted;
  if (quoted == NULL) return NULL;
  *end++ = '"';
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') *end++ = '\\';
    if (*text == '\n') { *end++ = '\\'; *end++ = 'n'; }
    else if ((unsigned char)*text >= ' ') *end++ = *text;
  }
  *end++ = '"';
  *end = '\0';
  return quoted;
}

#endif
