import { describe, expect, it } from 'vitest';
import { augmentationsOf } from './augmentations.js';

describe('what a file declares about others', () => {
  it('is every augmentation of a module or of the global names, comments out', () => {
    const text = `import 'vitest';
declare module 'vitest' {
    /** What tests are given. */
    interface ProvidedContext {
        address: string; // an URL
    }
}
declare global {
    var started: boolean;
}
export declare namespace own {
    const a: 1;
}
export {};
`;
    expect(augmentationsOf('a.d.ts', text)).toEqual([
      `declare module 'vitest' {\n    interface ProvidedContext {\n        address: string;\n    }\n}`,
      `declare global {\n    var started: boolean;\n}`,
    ]);
  });

  it('is nothing in most files', () => {
    expect(augmentationsOf('a.d.ts', `export declare const module: 'vitest';\n`)).toEqual([]);
  });

  it('is not guessed from what cannot be parsed', () => {
    expect(() => augmentationsOf('a.d.ts', 'declare module {')).toThrow(/^a\.d\.ts cannot be parsed/);
  });
});
