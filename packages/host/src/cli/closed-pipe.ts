/**
 * Lets output end where its reader has: `bellhop queue failed | head -1` is no failure, and a host whose log nobody reads any more goes on.
 *
 * @throws every other error of the stream, as without it.
 */
export function tolerateClosedPipes(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
