// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/ucx.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#define FIELD_FEATURES (UINT64_C(1) << 0) /* UCP_PARAM_FIELD_FEATURES */
#define WAKEUP (UINT64_C(1) << 4)	  /* UCP_FEATURE_WAKEUP */
#define PARAMS_MAX 512
#define PAGE 4096

static struct {
	void *worker[CS_UCX_WORKERS];
	int fd[CS_UCX_WORKERS]; /* -1: it has none */
	unsigned n;
	bool more;  /* there was a worker too many */
	bool wakes; /* waking up was requested; else asking for fd is an error */
} seen;

/* The path of a loaded libucp; packages that bring their own rename it, such as
 * libucp-0a1b2c3d.so.0.0.0. */
static int find(struct dl_phdr_info *info, size_t size, void *path)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *base = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(base, "libucp", 6) || !strchr(".-", base[6]) ||
	    strlen(info->dlpi_name) >= PATH_MAX)
		return 0;
	strcpy(path, info->dlpi_name);
	return 1;
}

/* A library that was loaded for a component alone is not among the next ones. */
void *cs_ucx_real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name), *lib;
	char path[PATH_MAX];

	if (f)
		return f;
	lib = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
	if (!lib && dl_iterate_phdr(find, path))
		lib = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	return lib ? dlsym(lib, name) : NULL;
}

int cs_ucx_init(unsigned major, unsigned minor, const void *params,
		const void *config, void *context)
{
	int (*real)(unsigned, unsigned, const void *, const void *, void *);
	union {
		unsigned char byte[PARAMS_MAX];
		uint64_t word[2];
	} with = { { 0 } };
	const uint64_t *mask = params;
	/* What the caller's release has of the struct is not known: up to the end of
	 * the page all can be read, and what is beyond the struct is not looked at. */
	size_t used, size = PAGE - (uintptr_t)params % PAGE;
	int rc;

	*(void **)&real = cs_ucx_real("ucp_init_version");
	if (!real)
		return -1;
	if (!(*mask & FIELD_FEATURES))
		return real(major, minor, params, config, context);
	/* A word for the mask, and one for each field, in the order of its bits. */
	used = (size_t)(65 - __builtin_clzll(*mask)) * sizeof *mask;
	if (size < used)
		size = used;
	memcpy(with.byte, params, size < PARAMS_MAX ? size : PARAMS_MAX);
	with.word[1] |= WAKEUP;
	rc = real(major, minor, with.byte, config, context);
	if (rc)
		return real(major, minor, params, config, context);
	seen.wakes = true;
	return 0;
}

void cs_ucx_saw(void *worker)
{
	int (*get_fd)(void *, int *);
	int fd;

	for (unsigned i = 0; i < seen.n; i++)
		if (seen.worker[i] == worker)
			return;
	if (seen.n == CS_UCX_WORKERS) {
		seen.more = true;
		return;
	}
	*(void **)&get_fd = cs_ucx_real("ucp_worker_get_efd");
	if (!seen.wakes || !get_fd || get_fd(worker, &fd))
		fd = -1;
	seen.worker[seen.n] = worker;
	seen.fd[seen.n++] = fd;
}

void cs_ucx_forget(void *worker)
{
	for (unsigned i = 0; i < seen.n; i++) {
		if (seen.worker[i] != worker)
			continue;
		seen.n--;
		seen.worker[i] = seen.worker[seen.n];
		seen.fd[i] = seen.fd[seen.n];
		break;
	}
	if (!seen.n)
		seen.more = false;
}

bool cs_ucx_any(void)
{
	return seen.n > 0;
}

bool cs_ucx_wakes(void)
{
	for (unsigned i = 0; i < seen.n; i++)
		if (seen.fd[i] < 0)
			return false;
	return seen.n > 0 && !seen.more;
}

int cs_ucx_arm(struct pollfd *fds)
{
	static int (*arm)(void *);
	int n = 0;

	if (!arm)
		*(void **)&arm = cs_ucx_real("ucp_worker_arm");
	for (unsigned i = 0; arm && i < seen.n; i++) {
		if (seen.fd[i] < 0)
			continue;
		if (arm(seen.worker[i]))
			return -1;
		fds[n++] = (struct pollfd){ seen.fd[i], POLLIN, 0 };
	}
	return n;
}
