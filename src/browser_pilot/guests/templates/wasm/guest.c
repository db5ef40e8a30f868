/* A guest in C: an MCP server that reads requests line by line and writes responses the same way. */

#include <stdio.h>

#include "browser_pilot.h"

static void respond(long id, const char *text) {
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
  char *host_request = malloc(strlen(quoted) + 80);
  sprintf(host_request, "{\"method\":\"browser.capturePage\",\"params\":{\"url\":%s}}", quoted);
  char *response = bp_request(host_request);
  char *title = response ? bp_string(response, "title") : NULL;
  char *error = response ? bp_string(response, "message") : NULL;
  if (title != NULL) respond(id, title);
  else fail(id, error ? error : "the host sent no response");
  free(error), free(title), free(response), free(host_request), free(quoted), free(url);
}

int main(void) {
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    const char *id_field = strstr(line, "\"id\":");
    if (id_field == NULL) continue;
    long id = strtol(id_field + 5, NULL, 10);
    char *method = bp_string(line, "method");
    if (method != NULL && strcmp(method, "tools/call") == 0) page_title(id, line);
    else fail(id, "there is no such method");
    free(method);
  }
  return 0;
}
