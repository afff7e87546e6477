/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/plugin_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYMBOL "plugin_version"

struct image {
	const char *at;
	size_t size;
};

/* Copy @n bytes at @offset; false: the file ends before. */
static bool take(const struct image *m, uint64_t offset, void *ret, size_t n)
{
	if (offset > m->size || n > m->size - offset)
		return false;
	memcpy(ret, m->at + offset, n);
	return true;
}

static bool is_named(const struct image *m, uint64_t offset)
{
	char name[sizeof(SYMBOL)];

	return take(m, offset, name, sizeof(name)) &&
	       !memcmp(name, SYMBOL, sizeof(name));
}

/* The address of SYMBOL in the table @s whose names are in @names. */
static uint64_t find_symbol(const struct image *m, const ElfW(Shdr) * s,
			    const ElfW(Shdr) * names)
{
	ElfW(Sym) sym;

	for (uint64_t at = 0; at + sizeof(sym) <= s->sh_size;
	     at += sizeof(sym)) {
		if (!take(m, s->sh_offset + at, &sym, sizeof(sym)))
			return 0;
		if (sym.st_shndx != SHN_UNDEF &&
		    is_named(m, names->sh_offset + sym.st_name))
			return sym.st_value;
	}
	return 0;
}

static uint64_t find_address(const struct image *m, const ElfW(Ehdr) * h)
{
	ElfW(Shdr) s, names;

	for (unsigned i = 0; i < h->e_shnum; i++) {
		if (!take(m, h->e_shoff + i * sizeof(s), &s, sizeof(s)))
			return 0;
		if (s.sh_type == SHT_DYNSYM &&
		    take(m, h->e_shoff + s.sh_link * sizeof(names), &names,
			 sizeof(names)))
			return find_symbol(m, &s, &names);
	}
	return 0;
}

/* What is loaded at @address. */
static uint32_t read_number(const struct image *m, const ElfW(Ehdr) * h,
			    uint64_t address)
{
	uint32_t number = 0;
	ElfW(Phdr) p;

	for (unsigned i = 0; i < h->e_phnum; i++)
		if (take(m, h->e_phoff + i * sizeof(p), &p, sizeof(p)) &&
		    p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz)
			take(m, p.p_offset + (address - p.p_vaddr), &number,
			     sizeof(number));
	return number;
}

static uint32_t read_image(const struct image *m)
{
	ElfW(Ehdr) h;
	uint64_t address;

	if (!take(m, 0, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] !=
		    (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return 0;
	address = find_address(m, &h);
	return address ? read_number(m, &h, address) : 0;
}

uint32_t cs_plugin_file_release(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct image m;
	uint32_t release;
	struct stat st;
	void *map;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
		close(fd);
		return 0;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 0;
	m = (struct image){ map, (size_t)st.st_size };
	release = read_image(&m);
	munmap(map, (size_t)st.st_size);
	return release;
}

uint32_t cs_plugin_file_release_number(const char *text)
{
	unsigned major, minor, micro;

	text += strcspn(text, "0123456789");
	if (sscanf(text, "%3u.%3u.%3u", &major, &minor, &micro) != 3 ||
	    major > 255 || minor > 255 || micro > 255)
		return 0;
	return major << 16 | minor << 8 | micro;
}
