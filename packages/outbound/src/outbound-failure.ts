/** What kind of failure an error of a call is. Only `refused` is for good: the others may go better later. */
import { LookupFailure, OutboundRefusal } from './outbound-errors.js';

export type FailureCause = 'refused' | 'dns' | 'network' | 'tls' | 'timeout' | 'aborted';

/** Node's codes for a certificate that does not verify (named as OpenSSL names them) and for a handshake that fails. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|ERROR_IN_C|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|PATH_LENGTH_EXCEEDED$|INVALID_(CA|PURPOSE)$)/;
/** undici's codes for a request it will not send, as for a header with a line break in it. */
const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

export function failureCause(error: unknown): FailureCause {
  if (error instanceof OutboundRefusal) return 'refused';
  if (error instanceof LookupFailure) return 'dns';
  const code = codeOf(error);
  if (UNSENDABLE.has(code)) return 'refused';
  return TLS_CODE.test(code) ? 'tls' : 'network';
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
