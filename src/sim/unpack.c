/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define IN_SIZE (256u << 10)
#define WINDOW_LOG 30 /* memory for one decoder: a power of two bytes */

/*
 * A packed format.  `step` takes bytes of u->in from u->at on, puts at most
 * `size` to `out` and returns how many; it sets u->whole where the data may
 * end.
 */
struct format {
	const char *name, *library;
	unsigned char magic[6];
	size_t n_magic;
	int (*begin)(struct cs_unpack *u);
	int64_t (*step)(struct cs_unpack *u, unsigned char *out, size_t size);
	void (*end)(struct cs_unpack *u);
};

struct cs_unpack {
	FILE *file;
	const struct format *format;
	bool eof;	/* end of file */
	bool whole;	/* the data may end here */
	size_t at, len; /* of in: bytes not yet taken */
	union {
#ifdef HAVE_ZLIB
		z_stream gz;
#endif
#ifdef HAVE_LZMA
		lzma_stream xz;
#endif
#ifdef HAVE_ZSTD
		ZSTD_DStream *zstd;
#endif
		int none;
	};
	unsigned char in[IN_SIZE];
};

/* ---------------------------------------------------------------- formats */

static int plain_begin(struct cs_unpack *u)
{
	u->whole = true;
	return 0;
}

static int64_t plain_step(struct cs_unpack *u, unsigned char *out, size_t size)
{
	size_t n = u->len - u->at;

	n = n < size ? n : size;
	memcpy(out, u->in + u->at, n);
	u->at += n;
	return (int64_t)n;
}

static void plain_end(struct cs_unpack *u)
{
	(void)u;
}

#ifdef HAVE_ZLIB
static int gz_begin(struct cs_unpack *u)
{
	return inflateInit2(&u->gz, 16 + MAX_WBITS) == Z_OK ? 0 : -ENOMEM;
}

static int64_t gz_step(struct cs_unpack *u, unsigned char *out, size_t size)
{
	int rc;

	if (u->whole && inflateReset(&u->gz) != Z_OK)
		return -EINVAL;
	u->whole = false;
	u->gz.next_in = u->in + u->at;
	u->gz.avail_in = (uInt)(u->len - u->at);
	u->gz.next_out = out;
	u->gz.avail_out = (uInt)size;
	rc = inflate(&u->gz, Z_NO_FLUSH);
	u->at = u->len - u->gz.avail_in;
	u->whole = rc == Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return -EINVAL;
	return (int64_t)(size - u->gz.avail_out);
}

static void gz_end(struct cs_unpack *u)
{
	inflateEnd(&u->gz);
}
#endif

#ifdef HAVE_LZMA
static int xz_begin(struct cs_unpack *u)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&u->xz, UINT64_C(1) << WINDOW_LOG,
				   LZMA_CONCATENATED) == LZMA_OK
		       ? 0
		       : -ENOMEM;
}

static int64_t xz_step(struct cs_unpack *u, unsigned char *out, size_t size)
{
	lzma_ret rc;

	u->xz.next_in = u->in + u->at;
	u->xz.avail_in = u->len - u->at;
	u->xz.next_out = out;
	u->xz.avail_out = size;
	rc = lzma_code(&u->xz, u->eof ? LZMA_FINISH : LZMA_RUN);
	u->at = u->len - u->xz.avail_in;
	u->whole = rc == LZMA_STREAM_END;
	if (rc == LZMA_MEM_ERROR || rc == LZMA_MEMLIMIT_ERROR)
		return -ENOMEM;
	if (rc != LZMA_OK && rc != LZMA_STREAM_END && rc != LZMA_BUF_ERROR)
		return -EINVAL;
	return (int64_t)(size - u->xz.avail_out);
}

static void xz_end(struct cs_unpack *u)
{
	lzma_end(&u->xz);
}
#endif

#ifdef HAVE_ZSTD
static int zstd_begin(struct cs_unpack *u)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	return 0;
}

static int64_t zstd_step(struct cs_unpack *u, unsigned char *out, size_t size)
{
	ZSTD_inBuffer from = { u->in, u->len, u->at };
	ZSTD_outBuffer to = { out, size, 0 };
	size_t rc = ZSTD_decompressStream(u->zstd, &to, &from);

	if (ZSTD_isError(rc))
		return -EINVAL;
	u->at = from.pos;
	u->whole = rc == 0;
	return (int64_t)to.pos;
}

static void zstd_end(struct cs_unpack *u)
{
	ZSTD_freeDStream(u->zstd);
}
#endif

static const struct format plain = { .name = "plain",
				     .begin = plain_begin,
				     .step = plain_step,
				     .end = plain_end };

static const struct format packed[] = {
	{ .name = "gzip",
	  .library = "zlib",
	  .magic = { 0x1f, 0x8b },
	  .n_magic = 2,
#ifdef HAVE_ZLIB
	  .begin = gz_begin,
	  .step = gz_step,
	  .end = gz_end
#endif
	},
	{ .name = "xz",
	  .library = "liblzma",
	  .magic = { 0xfd, '7', 'z', 'X', 'Z', 0 },
	  .n_magic = 6,
#ifdef HAVE_LZMA
	  .begin = xz_begin,
	  .step = xz_step,
	  .end = xz_end
#endif
	},
	{ .name = "zstd",
	  .library = "libzstd",
	  .magic = { 0x28, 0xb5, 0x2f, 0xfd },
	  .n_magic = 4,
#ifdef HAVE_ZSTD
	  .begin = zstd_begin,
	  .step = zstd_step,
	  .end = zstd_end
#endif
	},
};

/* ----------------------------------------------------------------- reading */

static const struct format *format_of(const unsigned char *in, size_t len)
{
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (len >= packed[i].n_magic &&
		    !memcmp(in, packed[i].magic, packed[i].n_magic))
			return &packed[i];
	return &plain;
}

/* The next bytes of the file; all earlier ones have been taken. */
static int refill(struct cs_unpack *u, struct cs_err *err)
{
	errno = 0;
	u->at = 0;
	u->len = fread(u->in, 1, IN_SIZE, u->file);
	u->eof = u->len < IN_SIZE;
	if (u->len < IN_SIZE && ferror(u->file)) {
		int rc = errno ? -errno : -EIO;

		return cs_err_set(err, rc, "%s", strerror(-rc));
	}
	return 0;
}

int cs_unpack_open(struct cs_unpack **ret, FILE *file, struct cs_err *err)
{
	struct cs_unpack *u = malloc(sizeof(*u));
	int rc;

	if (!u)
		return cs_err_set(err, -ENOMEM, "no memory");
	memset(u, 0, offsetof(struct cs_unpack, in));
	u->file = file;
	u->format = &plain;
	rc = refill(u, err);
	if (rc)
		goto out;
	u->format = format_of(u->in, u->len);
	if (!u->format->begin) {
		rc = cs_err_set(err, -ENOTSUP,
				"packed with %s, expected it unpacked: built "
				"without %s",
				u->format->name, u->format->library);
		goto out;
	}
	rc = u->format->begin(u);
	if (rc)
		cs_err_set(err, rc, "no memory to unpack it");
out:
	if (rc)
		free(u);
	else
		*ret = u;
	return rc;
}

int64_t cs_unpack_read(struct cs_unpack *u, void *buf, size_t size,
		       struct cs_err *err)
{
	for (;;) {
		size_t from;
		bool dry;
		int64_t n;

		if (u->at == u->len && !u->eof) {
			int rc = refill(u, err);

			if (rc)
				return rc;
		}
		from = u->at;
		dry = from == u->len;
		if (dry && u->whole)
			return 0;
		n = u->format->step(u, buf, size);
		if (n > 0)
			return n;
		if (n == -ENOMEM)
			return cs_err_set(err, -ENOMEM,
					  "no memory to unpack it");
		if (n < 0 || (!dry && u->at == from))
			return cs_err_set(err, -EINVAL,
					  "packed data is broken, expected %s",
					  u->format->name);
		if (dry && !u->whole)
			return cs_err_set(err, -EINVAL,
					  "packed data is cut off, expected "
					  "the rest of the %s file",
					  u->format->name);
	}
}

void cs_unpack_close(struct cs_unpack *u)
{
	if (!u)
		return;
	u->format->end(u);
	free(u);
}
