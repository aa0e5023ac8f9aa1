import { type NotificationPayload, SEVERITIES, type Severity } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkPayload, checkTime, DEFAULT_ORGANIZATION } from '@bellhop/store';
import { resolveAudience } from './audience.js';

/** An emit that passed the door, with every default filled in. */
export interface CheckedEmit {
  readonly topic: string;
  readonly recipients: readonly string[];
  readonly payload: NotificationPayload | null;
  readonly payloadText: string | null;
  readonly severity: Severity;
  readonly dedupKey: string | null;
  readonly source: { readonly type: string; readonly id: string } | null;
  readonly actorId: string | null;
  readonly organizationId: string;
  /** Each once, in the order of their first mention. */
  readonly channels: readonly string[];
  readonly notBefore: number | null;
}

const EMIT_FIELDS = [
  'topic',
  'audience',
  'payload',
  'severity',
  'dedupKey',
  'source',
  'actorId',
  'organizationId',
  'channels',
  'notBefore',
];
const SOURCE_FIELDS = ['type', 'id'];
/** Payload keys with a meaning, all of them texts. */
const TEXT_KEYS = ['title', 'body', 'url', 'actionUrl'] as const;
const DEFAULT_CHANNELS = ['inbox'];
/** More than any deployment mounts; a list without end would be walked, warned of and remembered. */
const CHANNELS_MAX = 64;
/** Every delivery carries the payload, and one emit is one transaction: beyond this it would hold the database for seconds. */
const WRITTEN_MAX_BYTES = 64 * 1024 * 1024;
/** What a delivery takes besides its payload, roughly. */
const ROW_BYTES = 256;

/**
 * Checks what a caller emits. A field that does not exist is refused, not ignored: a misspelt `dedupkey` would send twice.
 *
 * @param at where the input sits, for the paths of errors: `''`, or `inputs[3].`.
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`: also where payload times deliveries is over 64 MiB.
 */
export function checkEmitInput(input: unknown, at = ''): CheckedEmit {
  const fields = checkFields(input, at.replace(/\.$/, '') || 'input', EMIT_FIELDS, at);
  const optional = <T>(name: string, check: (value: unknown, path: string) => T): T | null =>
    fields[name] === undefined ? null : check(fields[name], `${at}${name}`);
  const payloadText = optional('payload', checkPayload);
  // A copy: the caller may go on writing to its own while the emit waits for channels and a transaction.
  const payload = payloadText === null ? null : checkPayloadKeys(JSON.parse(payloadText), `${at}payload`);
  const recipients = resolveAudience(fields.audience, `${at}audience`);
  const channels = optional('channels', checkChannels) ?? DEFAULT_CHANNELS;
  checkWritten(recipients.length * channels.length, payloadText?.length ?? 0, `${at}audience`);
  return {
    topic: checkName(fields.topic, `${at}topic`),
    recipients,
    payload,
    payloadText,
    severity: optional('severity', checkSeverity) ?? payload?.severity ?? 'info',
    dedupKey: optional('dedupKey', checkName),
    source: optional('source', checkSource),
    actorId: optional('actorId', checkName),
    organizationId: optional('organizationId', checkName) ?? DEFAULT_ORGANIZATION,
    channels,
    notBefore: optional('notBefore', checkTime),
  };
}

function checkWritten(deliveries: number, payloadCharacters: number, path: string): void {
  const most = Math.floor(WRITTEN_MAX_BYTES / (ROW_BYTES + payloadCharacters));
  if (deliveries <= most) return;
  throw new InputError(
    'PAYLOAD_TOO_LARGE',
    `${path}: ${deliveries} deliveries of a payload of ${payloadCharacters} characters given; at most ${most} of that size are allowed in one emit. Emit to parts of the audience, each with a dedupKey of its own, or send a reference instead of the content.`,
    { path },
  );
}

function checkPayloadKeys(value: unknown, path: string): NotificationPayload {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InputError('INVALID_INPUT', `${path}: a JSON object is needed, such as { title: "Thank you" }.`, { path });
  }
  const payload = value as NotificationPayload;
  for (const key of TEXT_KEYS) {
    if (payload[key] !== undefined && typeof payload[key] !== 'string') {
      throw new InputError('INVALID_INPUT', `${path}.${key}: ${typeof payload[key]} given; a string is needed.`, {
        path: `${path}.${key}`,
      });
    }
  }
  if (payload.severity !== undefined) checkSeverity(payload.severity, `${path}.severity`);
  return payload;
}

function checkSeverity(value: unknown, path: string): Severity {
  const severity = SEVERITIES.find((known) => known === value);
  if (severity) return severity;
  throw new InputError('INVALID_INPUT', `${path}: ${String(value)} given; ${SEVERITIES.join(', ')} are allowed.`, { path });
}

function checkSource(value: unknown, path: string): { type: string; id: string } {
  const source = checkFields(value, path, SOURCE_FIELDS, `${path}.`);
  return { type: checkName(source.type, `${path}.type`), id: checkName(source.id, `${path}.id`) };
}

function checkChannels(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) {
    throw new InputError('INVALID_INPUT', `${path}: ${typeof value} given; a list of channel ids is needed, such as ["inbox", "email"].`, {
      path,
    });
  }
  if (value.length > CHANNELS_MAX) {
    throw new InputError('INVALID_INPUT', `${path}: ${value.length} channels given; at most ${CHANNELS_MAX} are allowed.`, { path });
  }
  const channels = new Set(value.map((channel, index) => checkName(channel, `${path}[${index}]`)));
  return channels.size > 0 ? [...channels] : DEFAULT_CHANNELS;
}
