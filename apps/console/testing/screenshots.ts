// Takes screenshots of the console. Arguments: folder (default: screenshots), filter on file names.
import { chromium } from 'playwright-core';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import { shootConsole } from './shoot-console.ts';

const [folder = 'screenshots', part = ''] = process.argv.slice(2);
const executablePath = provideRequirementOrExit('chromium', 'screenshots');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const count = await shootConsole({ browser, folder, only: (name) => name.includes(part) });
await browser.close();
console.log(`${count} pictures of the console in ${folder}/`);
