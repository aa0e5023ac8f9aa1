/** The name under which the global setup provides the coordinator's address to tests. Alone in its file: the setup loads nothing else. */
export const POSTGRES_COORDINATOR = 'bellhopPostgresCoordinator';

declare module 'vitest' {
  interface ProvidedContext {
    bellhopPostgresCoordinator: string;
  }
}
