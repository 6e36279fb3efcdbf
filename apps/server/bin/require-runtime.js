// Stops with one clear sentence where the Node in force is too old to run Limen.
// Plain JavaScript with no syntax newer than Node 14, so that an old Node can still say it.
const NEEDED = 24;

const major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED) {
  console.error(
    `Limen needs Node ${NEEDED} or newer and found ${process.version}: run it through npm after "npm ci" ` +
      `(which brings Node ${NEEDED} on Linux and Windows), or install Node ${NEEDED} on this platform.`,
  );
  process.exit(1);
}
