/** Prints keys and proofs as JSON, for tests/extension/test_javascript.py to compare with those of Python. */

import { deriveKey, normalizeCode, proofOf } from '../../../src/browser_pilot/extension/offscreen/auth.js';

const { code, key, handshake } = JSON.parse(process.argv[2] ?? '{}');
if (code) {
  const derived = await deriveKey(code, handshake);
  const proofs = [await proofOf(key, 'hub', handshake), await proofOf(key, 'browser', handshake)];
  process.stdout.write(JSON.stringify({ derived, proofs, normalized: normalizeCode(code) }));
}
