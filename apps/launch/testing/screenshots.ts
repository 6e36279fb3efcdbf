// Takes screenshots of every screen at phone and desktop size, in three languages. Arguments: the
// folder (default: screenshots), and a part of the names to include.
import { chromium } from 'playwright-core';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import { shootGallery } from './gallery/shoot-gallery.ts';

const [folder = 'screenshots', part = ''] = process.argv.slice(2);
const executablePath = provideRequirementOrExit('chromium', 'screenshots');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const count = await shootGallery({ browser, folder, only: (name) => name.includes(part) });
await browser.close();
console.log(`${count} pictures of the launch page in ${folder}/`);
