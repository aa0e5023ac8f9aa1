// Which rules a test pins: the tags at the start of its title, or of a `describe` around it: `[L4] …`, `[A2][S5] …`, `[group-commit] …`.
// Other brackets (`[404] …`, or one in the middle of a title) are text.

const TAG = /^\s*\[([A-Z]+-?[0-9]*[a-z]?(?:-[a-z]+)*|[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\]/;

/** The rule ids in a full name, whose titles are joined by ` > `. */
export function ruleTags(fullName: string): string[] {
  const tags = new Set<string>();
  for (const title of fullName.split(' > ')) {
    let rest = title;
    for (let match = TAG.exec(rest); match; match = TAG.exec(rest)) {
      tags.add(match[1]!);
      rest = rest.slice(match[0].length);
    }
  }
  return [...tags];
}
