// The image's HEALTHCHECK: exits with 0 if the gateway is ready, otherwise with 1. It runs on Node.js, so the image
// needs no curl.
const { ADMIN_PORT = '4001' } = process.env;
const response = await fetch(`http://127.0.0.1:${ADMIN_PORT}/health/ready`);
process.exitCode = response.ok ? 0 : 1;
