/* A guest in C: an MCP server that reads requests line by line and writes its answers the same way. */

#include <stdio.h>

#include "browser_pilot.h"

static void answer(long id, const char *text) {
  char *quoted = bp_quoted(text);
  printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":%s}]}}\n", id, quoted);
  fflush(stdout);
  free(quoted);
}

static void fail(long id, const char *message) {
  char *quoted = bp_quoted(message);
  printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32000,\"message\":%s}}\n", id, quoted);
  fflush(stdout);
  free(quoted);
}

static void page_title(long id, const char *request) {
  char *url = bp_string(request, "url"), *quoted = bp_quoted(url ? url : "");
  char *asked = malloc(strlen(quoted) + 80);
  sprintf(asked, "{\"method\":\"browser.capturePage\",\"params\":{\"url\":%s}}", quoted);
  char *answered = bp_request(asked);
  char *title = answered ? bp_string(answered, "title") : NULL;
  char *error = answered ? bp_string(answered, "message") : NULL;
  if (title != NULL) answer(id, title);
  else fail(id, error ? error : "the host gave no answer");
  free(error), free(title), free(answered), free(asked), free(quoted), free(url);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    const char *numbered = strstr(line, "\"id\":");
    if (numbered == NULL) continue;
    long id = strtol(numbered + 5, NULL, 10);
    char *method = bp_string(line, "method");
    if (method != NULL && strcmp(method, "tools/call") == 0) page_title(id, line);
    else fail(id, "there is no such method");
    free(method);
  }
  return 0;
}
