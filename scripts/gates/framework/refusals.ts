// The two ways in which a gate ends without an answer of its own. Everything else that is thrown is input it could not read: a finding.

/** The command line has no meaning: exit 2. The message says what was given, what is allowed and what to do. */
export class UsageError extends Error {}

/** A prerequisite is missing: exit 3. The message says which, and how to provide it. */
export class NotMeasuredError extends Error {}
