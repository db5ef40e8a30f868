/** Prints what this side computes for what the other side gives, as JSON; tests/extension/test_javascript.py compares. */

import { keyFromCode, plainCode, proofOf } from '../../src/browser_pilot/extension/proofs.js';

const { code, key, exchange } = JSON.parse(process.argv[2] ?? '{}');
if (code) {
  const derived = await keyFromCode(code, exchange);
  const proofs = [await proofOf(key, 'hub', exchange), await proofOf(key, 'browser', exchange)];
  process.stdout.write(JSON.stringify({ derived, proofs, plain: plainCode(code) }));
}
