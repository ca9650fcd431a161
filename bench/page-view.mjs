// Section of docs/speed.md on the page of `gicollide view`.
import { count, ofMs, table, time } from './page-text.mjs';

const PARTS = ['far', 'near', 'touching', 'deep'];
const PAGE = 'the page';
const PEER = 'three-mesh-bvh';

/** @type {import('./page-text.mjs').Writer} */
export function view({ pairs, kinds, rest, page, browser }) {
  const [pair] = Object.values(pairs);
  const first = pair['us of the first drag'];
  const own = 'check, prepared, verdict';
  return {
    title: 'How fast does the page of `gicollide view` answer a drag?',
    answers: [
      ...PARTS.map((part) => ({
        question: `${part}, verdict, and distance where it is clear`,
        ...{ way: PAGE, time: first[PAGE][part], peer: PEER, peerTime: first[`${PEER}, and distance`][part] },
      })),
      ...PARTS.map((part) => ({
        question: `${part}, verdict`,
        ...{
          way: own,
          time: pair.us['prepared, verdict'][part],
          peer: PEER,
          peerTime: pair.us[`${PEER}, verdict`][part],
        },
      })),
    ],
    text: [
      `\`gicollide view\` answers every move with the verdict and, if it is clear, with the distance and its line. A distance that is not found within 10 ms is left out. The drag moves b from afar until the centers meet. A quarter of its ${count(pair.poses)} poses each is far, near, touching and deep. Each ball has ${count(pair.triangles[0])} triangles. The engine of the page's worker is measured in Node. "In a frame" counts answers within 16 ms.`,
      table(
        ['pair', ...PARTS, 'worst', 'in a frame', 'distances shown'],
        [
          ...Object.entries(pairs).map(([name, one]) => [`OBB trees, ${name}`, one.us[PAGE], one, one.poses]),
          ...Object.entries(kinds).map(([name, one]) => [name, one.us, one, pair.poses]),
        ].map(([name, us, one, poses]) => [
          name,
          ...[...PARTS, 'worst'].map((part) => time(us[part])),
          `${us['in a frame']} of ${poses}`,
          `${one['distances told']} of ${one.clear}`,
        ]),
      ),
      `At rest, the page computes class, thickness and contact curves of the two balls in ${ofMs(rest.ms.full.median)} (median), ${ofMs(rest.ms.full.worst)} at worst. Visited nodes take ${ofMs(rest.ms.visits.median)}, the triangles to draw ${ofMs(rest.ms.surface)} a ball, and reading both files ${ofMs(rest.ms['open both'])}. Without data the page has ${count(page.bytes)} bytes, ${count(page.gzip)} compressed.`,
      ...inChromium(browser),
      'three-mesh-bvh answers the same poses of the two balls. Its distance takes long, so it is asked at a fifth of the poses; comparisons with the page use only these.',
    ],
  };
}

/** @param {any} opened */
const openingOf = (opened) =>
  `A scene of ${count(opened.objects)} meshes of ${count(opened.triangles)} triangles with ${count(opened.findings)} findings is served after ${ofMs(opened['until the address, ms'])}. Its page then opens in ${ofMs(opened['until ready, ms'])}, with ${ofMs(opened['processor, ms'])} of processor time.`;

/** @param {any} browser */
function inChromium(browser) {
  if (!browser.drag) return [];
  const { drag, opened, orbit, pixels, version } = browser;
  const [own, whole, frame] = ['in the page, ms', 'verdict, ms', 'frame of it, ms'].map((name) => drag[name]);
  return [
    `In Chromium ${version} with ${pixels.join(' x ')} pixels, drawn by SwiftShader on the same processors, without a graphics card: medians over ${drag.moves} moves of one ball. The page shows the verdict ${ofMs(own.median)} after its own event of the move (${own['in a frame']} moves within 16 ms), and ${ofMs(whole.median)} after the browser's. The frame that shows it ends after ${ofMs(frame.median)}. A scene of ${count(orbit.instances)} instances of ${count(orbit.triangles)} triangles is drawn ${Math.round(orbit['frames a second'])} times a second while it turns, with less detail than at rest.`,
    ...(opened ? [openingOf(opened)] : []),
  ];
}
