// Names that automation tools leave in a page. None occurs by chance.

/** The Phantom wallet sets `phantom` too. */
export const PHANTOM_NAMES = ['callPhantom', '_phantom', '__phantomas', 'phantom'];

/** Names on the window or document. Excludes Selenium IDE's recorder: it records a person. */
export const SELENIUM_NAMES = [
  '__selenium_evaluate',
  '__selenium_unwrapped',
  '__webdriver_evaluate',
  '__webdriver_unwrapped',
  '__webdriver_script_fn',
  '__webdriver_script_func',
  '__webdriver_script_function',
  '__webdriverFunc',
  '__driver_evaluate',
  '__driver_unwrapped',
  '__fxdriver_evaluate',
  '__fxdriver_unwrapped',
  '_WEBDRIVER_ELEM_CACHE',
  '$chrome_asyncScriptInfo',
  '__$webdriverAsyncExecutor',
  'callSelenium',
  'calledSelenium',
  '_selenium',
  'webdriverCommand',
  '__lastWatirAlert',
  '__lastWatirConfirm',
  '__lastWatirPrompt',
];

export const CHROMEDRIVER_NAME = /^\$?cdc_[A-Za-z0-9]{22}_/;

/** Attributes that Firefox drivers set on the root element. */
export const SELENIUM_ATTRIBUTES = ['webdriver', 'selenium', 'driver'];

/** Names of other tools. `phantom` alone may be the wallet. */
export const AUTOMATION_NAMES = [
  ...PHANTOM_NAMES.filter((name) => name !== 'phantom'),
  '__nightmare',
  'nightmare',
  'domAutomation',
  'domAutomationController',
  '__pwInitScripts',
  '__playwright__binding__',
  '__playwright_evaluation_script__',
  '__puppeteer_evaluation_script__',
  '__cypress',
  'Cypress',
  '__testcafe',
  '%testCafeDriverInstance%',
  'RunPerfTest',
  'awesomium',
  'fmget_targets',
];
