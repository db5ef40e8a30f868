//! The newspaper guest in Rust: JSON-RPC lines on stdin and stdout, and the host's import.

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

#[link(wasm_import_module = "browser_pilot")]
extern "C" {
    fn host_request(request: *const u8, length: usize) -> u64;
}

/// Allocates the memory for the host's response.
#[no_mangle]
pub extern "C" fn browser_pilot_alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// Sends a request to the host and waits for the response.
fn request_host(method: &str, params: Value) -> Result<Value, String> {
    let request = json!({ "method": method, "params": params }).to_string();
    let packed = unsafe { host_request(request.as_ptr(), request.len()) };
    if packed == 0 {
        return Err("no memory for the host's response".into());
    }
    let (address, length) = ((packed >> 32) as usize, packed as u32 as usize);
    let data = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address as *mut u8, length)) };
    let response: Value = serde_json::from_slice(&data).map_err(|error| error.to_string())?;
    match response.get("error") {
        Some(error) => Err(error["message"].as_str().unwrap_or("the host refused").into()),
        None => Ok(response["result"].clone()),
    }
}

fn get_article(arguments: &Value) -> Result<Value, String> {
    let page = request_host("browser.capturePage", json!({ "url": arguments["url"], "format": "text" }))?;
    let (title, content) = (page["title"].as_str().unwrap_or(""), page["content"].as_str().unwrap_or(""));
    if content.contains("Please sign in") {
        return Err("The user is not signed in to the newspaper.".into());
    }
    Ok(json!({ "content": [{ "type": "text", "text": format!("{title}\n\n{content}") }] }))
}

fn main() {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let id = match request.get("id") {
            Some(id) => id,
            None => continue,
        };
        let outcome = match request["method"].as_str() {
            Some("tools/call") => get_article(&request["params"]["arguments"]),
            _ => Err("method not found".into()),
        };
        let response = match outcome {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(message) => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32000, "message": message } }),
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{response}").and_then(|()| out.flush()).ok();
    }
}
