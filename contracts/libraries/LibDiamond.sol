// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "../interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../interfaces/IDiamondLoupe.sol";
import {IERC165} from "../interfaces/IERC165.sol";

/// @notice The selector table of a diamond: its storage, reads and changes (EIP-2535).
/// @dev The layout is frozen with the creation code of the diamond, whose fallback reads it.
library LibDiamond {
    /// @dev ERC-7201 slot of "carat.diamond".
    bytes32 internal constant SLOT = 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00;

    /// @dev One word per selector: its facet, and the selector added before it. This list needs no words beyond those of
    ///      the table; a separate array would cost 22,100 gas for every eight selectors.
    struct Entry {
        address facet;
        bytes4 previous;
    }

    /// @dev `registry`, `last` and `count` share one word. `last` means nothing while `count` is zero.
    /// @custom:storage-location erc7201:carat.diamond
    struct Storage {
        address registry;
        bytes4 last;
        uint16 count;
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
    /// @param facet Serves them from now on.
    /// @param selectors At least one.
    function add(address facet, bytes4[] memory selectors) internal {
        Storage storage s = store();
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(facet);
        bytes4 last = s.last;
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            address current = s.entries[selector].facet;
            if (current != address(0)) revert IDiamondCut.SelectorExists(selector, current);
            s.entries[selector] = Entry(facet, last);
            last = selector;
        }
        s.last = last;
        // casting to 'uint16' is safe because a diamond of 65,536 selectors would cost more gas than any block has
        // forge-lint: disable-next-line(unsafe-typecast)
        s.count += uint16(selectors.length);
    }

    /// @notice Moves selectors to another facet.
    /// @param facet Serves them from now on.
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

    /// @notice Removes selectors. Searches for each from the last one backwards.
    /// @param selectors At least one.
    function remove(bytes4[] memory selectors) internal {
        Storage storage s = store();
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(address(0));
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            Entry memory entry = s.entries[selector];
            if (entry.facet == address(0)) revert IDiamondCut.SelectorUnknown(selector);
            bytes4 next = s.last;
            if (next == selector) {
                s.last = entry.previous;
            } else {
                while (s.entries[next].previous != selector) next = s.entries[next].previous;
                s.entries[next].previous = entry.previous;
            }
            --s.count;
            delete s.entries[selector];
        }
    }

    /// @notice All facets with their selectors: `facets()` of the loupe returns them, `diamondCutChecked` hashes them.
    /// @return list One entry for each facet, the newest selectors first.
    function facets() internal view returns (IDiamondLoupe.Facet[] memory list) {
        Storage storage s = store();
        uint256 count = s.count;
        bytes4[] memory selectors = new bytes4[](count);
        uint256[] memory owners = new uint256[](count);
        uint256[] memory sizes = new uint256[](count);
        list = new IDiamondLoupe.Facet[](count);
        uint256 found;
        bytes4 selector = s.last;
        for (uint256 i; i < count; ++i) {
            Entry memory entry = s.entries[selector];
            uint256 owner;
            while (owner < found && list[owner].facetAddress != entry.facet) ++owner;
            if (owner == found) list[found++].facetAddress = entry.facet;
            (selectors[i], owners[i]) = (selector, owner);
            ++sizes[owner];
            selector = entry.previous;
        }
        for (uint256 i; i < found; ++i) {
            list[i].functionSelectors = new bytes4[](sizes[i]);
            sizes[i] = 0;
        }
        for (uint256 i; i < count; ++i) {
            uint256 owner = owners[i];
            list[owner].functionSelectors[sizes[owner]++] = selectors[i];
        }
        assembly ("memory-safe") {
            mstore(list, found)
        }
    }

    /// @notice The functions that every diamond must keep, or it could never be cut or inspected again.
    /// @return list Their selectors: cut, loupe and ERC-165.
    function protectedSelectors() internal pure returns (bytes4[] memory list) {
        list = new bytes4[](7);
        list[0] = IDiamondCut.diamondCut.selector;
        list[1] = IDiamondCut.diamondCutChecked.selector;
        list[2] = IDiamondLoupe.facets.selector;
        list[3] = IDiamondLoupe.facetFunctionSelectors.selector;
        list[4] = IDiamondLoupe.facetAddresses.selector;
        list[5] = IDiamondLoupe.facetAddress.selector;
        list[6] = IERC165.supportsInterface.selector;
    }

    /// @notice Finds the first place of a selector in a list.
    /// @param list Any selectors.
    /// @param selector Any selector.
    /// @return i Its index, or the length of the list if it is absent.
    function indexOf(bytes4[] memory list, bytes4 selector) internal pure returns (uint256 i) {
        while (i < list.length && list[i] != selector) ++i;
    }

    /// @notice True when a list contains a selector.
    /// @param list Any selectors.
    /// @param selector Any selector.
    /// @return Whether the list contains it.
    function includes(bytes4[] memory list, bytes4 selector) internal pure returns (bool) {
        return indexOf(list, selector) < list.length;
    }
}
