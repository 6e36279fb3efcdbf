// The service and the key-holder take SIGHUP as a request to reload. Until they listen for it themselves, it must not end them.
// Windows sends it when a console window closes, and there it ends the process.
if (process.platform !== 'win32') process.on('SIGHUP', () => {});
