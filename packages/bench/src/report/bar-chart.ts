/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const WIDTH = 720;
const ROW = 34;
const LABEL_WIDTH = 250;
const VALUE_WIDTH = 70;

/** A horizontal bar chart as SVG, legible on a light and a dark page, its values written out for whoever cannot see the bars. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const height = 40 + bars.length * ROW;
  const rows = bars.map(({ label, value }, index) => {
    const y = 40 + index * ROW;
    const width = Math.max(2, (value / most) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH));
    return [
      `  <text x="${LABEL_WIDTH - 10}" y="${y + 17}" text-anchor="end">${escapeXml(label)}</text>`,
      `  <rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="24" rx="3" fill="#3b82c4"/>`,
      `  <text x="${(LABEL_WIDTH + width + 8).toFixed(1)}" y="${y + 17}">${value}</text>`,
    ].join('\n');
  });
  const spoken = bars.map(({ label, value }) => `${label}: ${value}`).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(`${title}. ${spoken}`)}" font-family="system-ui, sans-serif" font-size="14" fill="#777">
  <text x="0" y="20" font-size="16" font-weight="600">${escapeXml(title)}</text>
${rows.join('\n')}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
