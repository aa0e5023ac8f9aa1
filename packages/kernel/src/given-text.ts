/** How a refused value is shown in an error message: short, and never a secret, since messages end up in logs. */

const SECRET = /secret|token|password|passphrase|credential|auth|apikey|api_key|privatekey|private_key/i;
const LONGEST = 60;

/** @param path where the value is; a path that speaks of a secret hides it. */
export function givenText(path: readonly PropertyKey[], value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'function') return 'a function';
  if (path.some((part) => SECRET.test(String(part)))) return `a hidden ${typeof value}`;
  if (typeof value === 'string') return stringText(value);
  return `${String(value)} (${typeof value})`;
}

function stringText(value: string): string {
  const masked = value.replace(/(:\/\/)[^/@\s]+@/g, '$1***@').replace(/([?&][^=&]*(?:token|secret|password|key)[^=&]*=)[^&]+/gi, '$1***');
  return `${JSON.stringify(masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked)} (string)`;
}
