#!/usr/bin/env node
import { tolerateClosedPipes } from './cli/closed-pipe.js';
import { createProgram } from './cli/program.js';

tolerateClosedPipes([process.stdout, process.stderr]);
await createProgram().parseAsync();
