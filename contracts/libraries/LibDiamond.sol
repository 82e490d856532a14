// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "../interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../interfaces/IDiamondLoupe.sol";

/// @notice The selector table of a diamond: where it is stored, how it is read and changed (EIP-2535).
/// @dev The layout is frozen with the creation code of the diamond, whose fallback reads it.
library LibDiamond {
    /// @dev ERC-7201 slot of "carat.diamond".
    bytes32 internal constant SLOT = 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00;

    /// @dev One word per selector: who serves it, and its index in `selectors` for removal in constant time.
    struct Entry {
        address facet;
        uint16 position;
    }

    /// @custom:storage-location erc7201:carat.diamond
    struct Storage {
        address registry;
        bytes4[] selectors;
        mapping(bytes4 selector => Entry) entries;
    }

    /// @notice The namespace's storage pointer.
    /// @return s The selector table, at the frozen slot.
    function store() internal pure returns (Storage storage s) {
        assembly {
            s.slot := SLOT
        }
    }

    /// @notice Adds selectors that no facet serves yet.
    /// @param facet Who serves them from now on.
    /// @param selectors At least one.
    function add(address facet, bytes4[] memory selectors) internal {
        Storage storage s = store();
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(facet);
        uint256 position = s.selectors.length;
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            address current = s.entries[selector].facet;
            if (current != address(0)) revert IDiamondCut.SelectorExists(selector, current);
            // casting to 'uint16' is safe because a diamond of 65,536 selectors would cost more gas than any block has
            // forge-lint: disable-next-line(unsafe-typecast)
            s.entries[selector] = Entry(facet, uint16(position++));
            s.selectors.push(selector);
        }
    }

    /// @notice Lets another facet serve selectors that are there.
    /// @param facet Who serves them from now on.
    /// @param selectors At least one.
    function replace(address facet, bytes4[] memory selectors) internal {
        Storage storage s = store();
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(facet);
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            address current = s.entries[selector].facet;
            if (current == address(0)) revert IDiamondCut.SelectorUnknown(selector);
            if (current == facet) revert IDiamondCut.SelectorUnchanged(selector, facet);
            s.entries[selector].facet = facet;
        }
    }

    /// @notice Removes selectors; the last one of the list takes the freed place.
    /// @param selectors At least one.
    function remove(bytes4[] memory selectors) internal {
        Storage storage s = store();
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(address(0));
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            Entry memory entry = s.entries[selector];
            if (entry.facet == address(0)) revert IDiamondCut.SelectorUnknown(selector);
            bytes4 last = s.selectors[s.selectors.length - 1];
            if (last != selector) {
                s.selectors[entry.position] = last;
                s.entries[last].position = entry.position;
            }
            s.selectors.pop();
            delete s.entries[selector];
        }
    }

    /// @notice All facets with their selectors; what `facets()` of the loupe returns and what `diamondCutChecked` hashes.
    /// @return list One entry for each facet.
    function facets() internal view returns (IDiamondLoupe.Facet[] memory list) {
        Storage storage s = store();
        bytes4[] memory selectors = s.selectors;
        address[] memory owners = new address[](selectors.length);
        uint256[] memory counts = new uint256[](selectors.length);
        list = new IDiamondLoupe.Facet[](selectors.length);
        uint256 found;
        for (uint256 i; i < selectors.length; ++i) {
            address facet = s.entries[selectors[i]].facet;
            owners[i] = facet;
            uint256 index = indexOf(list, found, facet);
            if (index == found) list[found++].facetAddress = facet;
            ++counts[index];
        }
        for (uint256 i; i < found; ++i) {
            list[i].functionSelectors = new bytes4[](counts[i]);
            counts[i] = 0;
        }
        for (uint256 i; i < selectors.length; ++i) {
            uint256 index = indexOf(list, found, owners[i]);
            list[index].functionSelectors[counts[index]++] = selectors[i];
        }
        assembly ("memory-safe") {
            mstore(list, found)
        }
    }

    /// @notice True when the facet itself lists this selector.
    /// @param exported What the facet lists.
    /// @param selector Any selector.
    /// @return Whether it is listed.
    function exports(bytes4[] memory exported, bytes4 selector) internal pure returns (bool) {
        for (uint256 i; i < exported.length; ++i) {
            if (exported[i] == selector) return true;
        }
        return false;
    }

    function indexOf(IDiamondLoupe.Facet[] memory list, uint256 length, address facet)
        private
        pure
        returns (uint256 i)
    {
        for (; i < length; ++i) {
            if (list[i].facetAddress == facet) break;
        }
    }
}
