import assert from 'node:assert/strict';

/** The error of a refused call; fails when it was taken, or refused as anything but bad input. */
export async function refusal(call: () => Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call();
  } catch (error) {
    assert.equal((error as Error).name, 'InputError', `refused as bad input, not as: ${String(error)}`);
    return error as { code: string; message: string } & Error;
  }
  assert.fail('the call was taken');
}
