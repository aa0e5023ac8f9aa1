const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'] as const;

/** @param pragma reads one pragma on the connection that is measured. */
export async function sqliteDurability(pragma: (name: string) => Promise<unknown>): Promise<Readonly<Record<string, string>>> {
  return {
    journal_mode: String(await pragma('journal_mode')),
    synchronous: SYNCHRONOUS[Number(await pragma('synchronous'))] ?? 'unknown',
  };
}

/** @param show reads one setting on a connection of those that are measured. */
export async function postgresDurability(show: (setting: string) => Promise<unknown>): Promise<Readonly<Record<string, string>>> {
  const settings = ['fsync', 'synchronous_commit', 'full_page_writes'];
  return Object.fromEntries(await Promise.all(settings.map(async (setting) => [setting, String(await show(setting))])));
}
