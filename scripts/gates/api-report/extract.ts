// Asks API Extractor for the public declarations of entries: everything each exports, and what of its package those mention, as a sorted list.
// It reads declarations with a TypeScript of its own, since TypeScript 7 has no compiler API. What it says about documentation is not our concern.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompilerState } from '@microsoft/api-extractor';

export interface DeclaredEntry {
  /** A folder with package.json, `node_modules` and the declarations of the package. */
  readonly packageFolder: string;
  /** The entry's declarations. */
  readonly declarations: string;
}

export interface ExtractOptions {
  /** Where ambient types (`node`) are found. */
  readonly typeRoots: readonly string[];
  /** A folder to work in. */
  readonly scratch: string;
}

/** The reports as API Extractor writes them, in the order of the entries. Throws on declarations that it cannot read. */
export async function extractReports(entries: readonly DeclaredEntry[], { typeRoots, scratch }: ExtractOptions): Promise<string[]> {
  // Loaded on use: it brings a compiler along, which no other gate needs.
  const { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } = await import('@microsoft/api-extractor');
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  const error = { logLevel: ExtractorLogLevel.Error };
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['es2023'],
    types: ['node'],
    typeRoots,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  // One program for all: most of what it reads are the types that every package mentions.
  let compilerState: CompilerState | undefined;

  return entries.map(({ packageFolder, declarations }, index) => {
    const reportFolder = join(scratch, String(index));
    mkdirSync(reportFolder, { recursive: true });
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: packageFolder,
        mainEntryPointFilePath: declarations,
        compiler: { overrideTsconfig: { compilerOptions, files: entries.map((each) => each.declarations) } },
        // A type that is mentioned without being exported is part of what users compile against.
        apiReport: {
          enabled: true,
          reportFolder,
          reportTempFolder: join(reportFolder, 'temp'),
          reportFileName: 'entry',
          includeForgottenExports: true,
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: error },
          extractorMessageReporting: { ...none, 'ae-wrong-input-file-type': error },
          tsdocMessageReporting: none,
        },
        newlineKind: 'lf',
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(packageFolder, 'package.json'),
    });
    compilerState ??= CompilerState.create(config);
    const errors: string[] = [];
    Extractor.invoke(config, {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.formatMessageWithLocation(packageFolder));
        message.handled = true;
      },
    });
    if (errors.length > 0) throw new Error(`API Extractor cannot read ${declarations}:\n${errors.join('\n')}`);
    return readFileSync(join(reportFolder, 'entry.api.md'), 'utf8');
  });
}
