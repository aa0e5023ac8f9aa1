/** How a check of a target ends when the target may not be called, or cannot be told. Neither names a query string, nor where a name leads. */
import { InputError } from '@bellhop/kernel';

/** The URL may not be called, now or later: code `INVALID_INPUT`, path `url`. Nothing was sent. */
export class OutboundRefusal extends InputError {
  /** @param problem what is wrong and what is allowed, without the final full stop. */
  constructor(problem: string) {
    super('INVALID_INPUT', `url: ${problem}.`, { path: 'url' });
  }
}

/** The host's addresses could not be found out. It may go better later. */
export class LookupFailure extends Error {
  override readonly name = 'LookupFailure';
}
