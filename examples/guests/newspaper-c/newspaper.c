/* The newspaper guest in C. `browser-pilot guest new --wasm` creates its header; see the Makefile. */

#include <stdio.h>

#include "browser_pilot.h"

static void respond(long id, const char *key, const char *before, const char *text, const char *after) {
  char *quoted = bp_quoted(text);
  printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"%s\":%s%s%s}\n", id, key, before, quoted, after);
  fflush(stdout);
  free(quoted);
}

static void fail(long id, const char *message) {
  respond(id, "error", "{\"code\":-32000,\"message\":", message, "}");
}

static void get_article(long id, const char *request) {
  char *url = bp_string(request, "url"), *quoted = bp_quoted(url ? url : "");
  char *host_request = malloc(strlen(quoted) + 100);
  sprintf(host_request, "{\"method\":\"browser.capturePage\",\"params\":{\"url\":%s,\"format\":\"text\"}}", quoted);
  char *page = bp_request(host_request);
  char *content = page ? bp_string(page, "content") : NULL, *title = page ? bp_string(page, "title") : NULL;
  char *error = page ? bp_string(page, "message") : NULL;
  if (content == NULL || title == NULL) {
    fail(id, error ? error : "the host sent no response");
  } else if (strstr(content, "Please sign in")) {
    fail(id, "The user is not signed in to the newspaper.");
  } else {
    char *text = malloc(strlen(title) + strlen(content) + 3);
    sprintf(text, "%s\n\n%s", title, content);
    respond(id, "result", "{\"content\":[{\"type\":\"text\",\"text\":", text, "}]}");
    free(text);
  }
  free(error), free(title), free(content), free(page), free(host_request), free(quoted), free(url);
}

int main(void) {
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    const char *id_text = strstr(line, "\"id\":");
    if (id_text == NULL) continue;
    long id = strtol(id_text + 5, NULL, 10);
    char *method = bp_string(line, "method");
    if (method != NULL && strcmp(method, "tools/call") == 0) get_article(id, line);
    else fail(id, "method not found");
    free(method);
  }
  return 0;
}
