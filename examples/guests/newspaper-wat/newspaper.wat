;; The newspaper guest in WebAssembly text format. `wat2wasm newspaper.wat` builds the module.
;; It finds JSON values by their keys and copies them as they are, already quoted.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "browser_pilot" "host_request" (func $host_request (param i32 i32) (result i64)))
  (memory (export "memory") 16)

  (data (i32.const 0) "\"id\": ")                                                                  ;; 6
  (data (i32.const 16) "\"tools/call\"")                                                           ;; 12
  (data (i32.const 32) "\"url\": \"")                                                              ;; 8
  (data (i32.const 48) "\"content\": \"")                                                          ;; 12
  (data (i32.const 64) "\"message\": \"")                                                          ;; 12
  (data (i32.const 128) "{\"method\":\"browser.capturePage\",\"params\":{\"format\":\"text\",\"url\":\"")  ;; 65
  (data (i32.const 224) "\"}}")                                                                    ;; 3
  (data (i32.const 256) "{\"jsonrpc\":\"2.0\",\"id\":")                                            ;; 22
  (data (i32.const 288) ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"")                ;; 45
  (data (i32.const 352) "\"}]}}\n")                                                                ;; 6
  (data (i32.const 384) ",\"error\":{\"code\":-32000,\"message\":\"")                              ;; 35
  (data (i32.const 448) "\"}}\n")                                                                  ;; 4
  (data (i32.const 464) "method not found")                                                        ;; 16

  (global $vectors i32 (i32.const 1024))
  (global $count (mut i32) (i32.const 0))
  (global $line i32 (i32.const 65536))
  (global $request i32 (i32.const 131072))
  (global $response i32 (i32.const 262144))

  ;; One response at a time, always at the same address.
  (func (export "browser_pilot_alloc") (param $length i32) (result i32)
    (local $missing i32)
    (local.set $missing (i32.sub
      (i32.add (global.get $response) (local.get $length)) (i32.mul (memory.size) (i32.const 65536))))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then (if (i32.eq (i32.const -1)
          (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get $missing) (i32.const 65536)))))
        (then (return (i32.const 0))))))
    (global.get $response))

  ;; Returns where the text after a key begins, or 0.
  (func $after_key (param $text i32) (param $length i32) (param $key i32) (param $size i32) (result i32)
    (local $at i32)
    (block $absent
      (loop $next
        (br_if $absent (i32.lt_s (local.get $length) (local.get $size)))
        (local.set $at (i32.const 0))
        (block $differs
          (loop $same
            (br_if $differs (i32.ne
              (i32.load8_u (i32.add (local.get $text) (local.get $at)))
              (i32.load8_u (i32.add (local.get $key) (local.get $at)))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $same (i32.lt_u (local.get $at) (local.get $size))))
          (return (i32.add (local.get $text) (local.get $size))))
        (local.set $text (i32.add (local.get $text) (i32.const 1)))
        (local.set $length (i32.sub (local.get $length) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; Returns the length of a quoted text, up to its closing quote.
  (func $quoted_length (param $text i32) (result i32)
    (local $at i32) (local $byte i32)
    (block $end
      (loop $next
        (local.set $byte (i32.load8_u (i32.add (local.get $text) (local.get $at))))
        (br_if $end (i32.or (i32.eqz (local.get $byte)) (i32.eq (local.get $byte) (i32.const 34))))
        (local.set $at (i32.add (local.get $at)
          (select (i32.const 2) (i32.const 1) (i32.eq (local.get $byte) (i32.const 92)))))
        (br $next)))
    (local.get $at))

  (func $digit_count (param $text i32) (result i32)
    (local $at i32)
    (loop $next
      (if (i32.lt_u (i32.sub (i32.load8_u (i32.add (local.get $text) (local.get $at))) (i32.const 48)) (i32.const 10))
        (then (local.set $at (i32.add (local.get $at) (i32.const 1))) (br $next))))
    (local.get $at))

  (func $write (param $text i32) (param $length i32)
    (local $vector i32)
    (local.set $vector (i32.add (global.get $vectors) (i32.mul (global.get $count) (i32.const 8))))
    (i32.store (local.get $vector) (local.get $text))
    (i32.store offset=4 (local.get $vector) (local.get $length))
    (global.set $count (i32.add (global.get $count) (i32.const 1))))

  (func $send
    (drop (call $fd_write (i32.const 1) (global.get $vectors) (global.get $count) (i32.const 1000)))
    (global.set $count (i32.const 0)))

  (func $copy (param $to i32) (param $from i32) (param $length i32) (result i32)
    (memory.copy (local.get $to) (local.get $from) (local.get $length))
    (i32.add (local.get $to) (local.get $length)))

  (func $handle (param $length i32)
    (local $id i32) (local $url i32) (local $end i32) (local $packed i64) (local $found i32)
    (local.set $id (call $after_key (global.get $line) (local.get $length) (i32.const 0) (i32.const 6)))
    (if (i32.eqz (local.get $id)) (then (return)))
    (call $write (i32.const 256) (i32.const 22))
    (call $write (local.get $id) (call $digit_count (local.get $id)))
    (local.set $url (call $after_key (global.get $line) (local.get $length) (i32.const 32) (i32.const 8)))
    (if (i32.or (i32.eqz (local.get $url))
        (i32.eqz (call $after_key (global.get $line) (local.get $length) (i32.const 16) (i32.const 12))))
      (then
        (call $write (i32.const 384) (i32.const 35))
        (call $write (i32.const 464) (i32.const 16))
        (call $write (i32.const 448) (i32.const 4))
        (call $send)
        (return)))
    (local.set $end (call $copy (global.get $request) (i32.const 128) (i32.const 65)))
    (local.set $end (call $copy (local.get $end) (local.get $url) (call $quoted_length (local.get $url))))
    (local.set $end (call $copy (local.get $end) (i32.const 224) (i32.const 3)))
    (local.set $packed (call $host_request (global.get $request) (i32.sub (local.get $end) (global.get $request))))
    (local.set $found (call $after_key (global.get $response) (i32.wrap_i64 (local.get $packed)) (i32.const 48) (i32.const 12)))
    (if (local.get $found)
      (then
        (call $write (i32.const 288) (i32.const 45))
        (call $write (local.get $found) (call $quoted_length (local.get $found)))
        (call $write (i32.const 352) (i32.const 6)))
      (else
        (local.set $found
          (call $after_key (global.get $response) (i32.wrap_i64 (local.get $packed)) (i32.const 64) (i32.const 12)))
        (call $write (i32.const 384) (i32.const 35))
        (call $write (local.get $found) (call $quoted_length (local.get $found)))
        (call $write (i32.const 448) (i32.const 4))))
    (call $send))

  (func (export "_start")
    (local $length i32)
    (block $end
      (loop $next
        (i32.store (global.get $vectors) (global.get $line))
        (i32.store offset=4 (global.get $vectors) (i32.const 65000))
        (br_if $end (call $fd_read (i32.const 0) (global.get $vectors) (i32.const 1) (i32.const 1000)))
        (local.set $length (i32.load (i32.const 1000)))
        (br_if $end (i32.eqz (local.get $length)))
        (call $handle (local.get $length))
        (br $next))))
)
