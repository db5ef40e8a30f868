/* The newspaper guest in C. Its header is the one that `browser-pilot guest new --wasm` gives; see the Makefile. */

#include <stdio.h>

#include "browser_pilot.h"

static void answer(long id, const char *key, const char *before, const char *text, const char *after) {
  char *quoted = bp_quoted(text);
  printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"%s\":%s%s%s}\n", id, key, before, quoted, after);
  fflush(stdout);
  free(quoted);
}

static void fail(long id, const char *message) {
  answer(id, "error", "{\"code\":-32000,\"message\":", message, "}");
}

static void get_article(long id, const char *request) {
  char *url = bp_string(request, "url"), *quoted = bp_quoted(url ? url : "");
  char *asked = malloc(strlen(quoted) + 100);
  sprintf(asked, "{\"method\":\"browser.capturePage\",\"params\":{\"url\":%s,\"format\":\"text\"}}", quoted);
  char *page = bp_request(asked);
  char *content = page ? bp_string(page, "content") : NULL, *title = page ? bp_string(page, "title") : NULL;
  char *error = page ? bp_string(page, "message") : NULL;
  if (content == NULL || title == NULL) {
    fail(id, error ? error : "the host gave no answer");
  } else if (strstr(content, "Please sign in")) {
    fail(id, "The user is not signed in to the newspaper.");
  } else {
    char *text = malloc(strlen(title) + strlen(content) + 3);
    sprintf(text, "%s\n\n%s", title, content);
    answer(id, "result", "{\"content\":[{\"type\":\"text\",\"text\":", text, "}]}");
    free(text);
  }
  free(error), free(title), free(content), free(page), free(asked), free(quoted), free(url);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    const char *numbered = strstr(line, "\"id\":");
    if (numbered == NULL) continue;
    long id = strtol(numbered + 5, NULL, 10);
    char *method = bp_string(line, "method");
    if (method != NULL && strcmp(method, "tools/call") == 0) get_article(id, line);
    else fail(id, "there is no such method");
    free(method);
  }
  return 0;
}
