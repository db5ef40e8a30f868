/** Prints proofs as JSON, for tests/extension/test_javascript.py to compare with those of Python. */

import { deriveKey, normalizeCode, proofOf } from '../../../src/browser_pilot/extension/offscreen/auth.js';
import { importKey } from '../../../src/browser_pilot/extension/lib/key_material.js';

const { code, key, handshake } = JSON.parse(process.argv[2] ?? '{}');
if (code) {
  const keys = [await deriveKey(code, handshake), await importKey(key)];
  const proofs = await Promise.all(keys.flatMap((one) => [proofOf(one, 'hub', handshake), proofOf(one, 'browser', handshake)]));
  process.stdout.write(JSON.stringify({ proofs, extractable: keys.map((one) => one.extractable), normalized: normalizeCode(code) }));
}
