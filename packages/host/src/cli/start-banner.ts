/** What a start prints: where it listens, and two lines that work when pasted. */
export interface BannerFacts {
  readonly url: string;
  /** Without credentials. */
  readonly database: string;
  readonly durable: boolean;
  /** The root key that this start made. */
  readonly firstKey: string | null;
  /** BELLHOP_API_KEY is set. */
  readonly keyInEnvironment: boolean;
  /** The command that makes a root key for this database. */
  readonly makeKey: string;
}

export function startBanner({ url, database, durable, firstKey, keyInEnvironment, makeKey }: BannerFacts): string {
  // In double quotes, so that the shell fills in the variable.
  const authorization = `-H "Authorization: Bearer ${firstKey ?? '$BELLHOP_API_KEY'}"`;
  const body = `'{"topic":"hello","audience":"user:ada","payload":{"title":"Hello, Ada"}}'`;
  return [
    `Bellhop listens on ${url}  (database: ${database}${durable ? '' : ', gone when this process ends'})`,
    '',
    ...keyLines(firstKey, keyInEnvironment, makeKey),
    'Send a notification, then read the inbox:',
    `  curl -sS ${url}/v1/notifications ${authorization} -H "Content-Type: application/json" -d ${body}`,
    `  curl -sS ${url}/v1/inbox/ada ${authorization}`,
    '',
    '',
  ].join('\n');
}

function keyLines(firstKey: string | null, keyInEnvironment: boolean, makeKey: string): string[] {
  if (firstKey !== null) return ['Root key, made on this first start and shown only now (its hash is stored):', `  ${firstKey}`, ''];
  if (keyInEnvironment) return [];
  return ['The root key was shown on the first start. Without it, make another:', `  export BELLHOP_API_KEY=$(${makeKey})`, ''];
}
