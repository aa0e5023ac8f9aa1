/** Three at least: of two, nobody could say which one the machine disturbed. */
export const ROUNDS = 3;

/**
 * Measures every side in turn, A B A B …, so that what the machine does meanwhile meets all of them.
 *
 * @returns what each side gave, round by round.
 */
export async function alternate<Side, Figure>(
  sides: readonly Side[],
  measure: (side: Side, round: number) => Promise<Figure>,
  rounds = ROUNDS,
): Promise<Map<Side, Figure[]>> {
  const figures = new Map<Side, Figure[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) figures.get(side)?.push(await measure(side, round));
  }
  return figures;
}
