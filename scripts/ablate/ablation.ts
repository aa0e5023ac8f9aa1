// One entry of the ablation registry: a rule of the design, the literal edit that takes it out, and exactly the tests that must fall with it.
// A suite that stays green when a rule is taken out proves nothing; an entry is what proves that it does not.

/** A test that touches the rule and stays green all the same. */
export interface StaysGreen {
  /** The full name: its `describe` titles and its own, joined by ` > `, as vitest lists it. */
  readonly name: string;
  /** Why it cannot fall: an upper bound, say, that holds without the rule, too. */
  readonly why: string;
}

export interface Ablation {
  /**
   * The rule's id, as the titles of its tests carry it in brackets (`[L4] …`). A rule of several clauses has several entries: the further ones
   * add a colon and a word, `L8:deadline`. Unique in the registry.
   */
  readonly id: string;
  /** The rule, in a sentence. */
  readonly why: string;
  /** The source file that holds the rule, from the root of the repository. Never a test. */
  readonly file: string;
  /** The literal text to take out. */
  readonly anchor: string;
  /** What stands there instead: code that compiles, without the rule. */
  readonly replacement: string;
  /** How often the anchor occurs in the file. */
  readonly expectCount: number;
  /** The test files to run, from the root: at least every file with a test whose title carries the rule's id. */
  readonly tests: readonly string[];
  /** The full names of the tests that must go red: all of them, and no others of `tests`. */
  readonly red: readonly string[];
  /** Tests that carry the rule's id and go red in no entry of the rule. */
  readonly green?: readonly StaysGreen[];
}

/** The id that test titles carry: `L8` of `L8:deadline`. */
export function ruleOf(ablation: Pick<Ablation, 'id'>): string {
  return ablation.id.replace(/:.*$/, '');
}
