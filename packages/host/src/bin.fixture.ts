/** The command line in a folder of the test's: a process is started in the test's own, and its settings depend on where it is. */
process.chdir(process.env.BELLHOP_TEST_FOLDER as string);
await import('./bin.js');
