// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IExports {
    function exportSelectors() external pure returns (bytes4[] memory);
}

/// @notice Gets the code of a diamond, and a selector table that serves one function more than its list shows.
contract ForeignDiamond {
    struct Entry {
        address facet;
        bytes4 previous;
    }

    struct Table {
        address registry;
        bytes4 last;
        uint16 count;
        mapping(bytes4 selector => Entry) entries;
    }

    constructor(address genuine, address registry, address[] memory facets, bytes4 hidden, address servant) {
        Table storage table;
        assembly {
            // ERC-7201 slot of "carat.diamond".
            table.slot := 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00
        }
        table.registry = registry;
        table.entries[hidden].facet = servant;
        for (uint256 i; i < facets.length; ++i) {
            bytes4[] memory selectors = IExports(facets[i]).exportSelectors();
            for (uint256 j; j < selectors.length; ++j) {
                table.entries[selectors[j]] = Entry(facets[i], table.last);
                table.last = selectors[j];
                ++table.count;
            }
        }
        bytes memory code = genuine.code;
        assembly {
            return(add(code, 0x20), mload(code))
        }
    }
}
