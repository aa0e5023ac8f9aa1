export {
  checkName,
  checkPayload,
  checkText,
  ERROR_TEXT_MAX_BYTES,
  NAME_MAX_CHARACTERS,
  PAYLOAD_MAX_BYTES,
  stripText,
} from './input-limits.js';
