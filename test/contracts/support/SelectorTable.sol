// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {LibDiamond} from "../../../contracts/libraries/LibDiamond.sol";

/// @notice The table of a diamond, without anything around it, so that it can also be emptied.
contract SelectorTable {
    function add(address facet, bytes4[] memory selectors) external {
        LibDiamond.add(facet, selectors);
    }

    function replace(address facet, bytes4[] memory selectors) external {
        LibDiamond.replace(facet, selectors);
    }

    function remove(bytes4[] memory selectors) external {
        LibDiamond.remove(selectors);
    }

    function facets() external view returns (IDiamondLoupe.Facet[] memory) {
        return LibDiamond.facets();
    }

    function facetOf(bytes4 selector) external view returns (address) {
        return LibDiamond.store().entries[selector].facet;
    }
}

/// @notice What a table has to do, in the simplest way: a list of rows in the order of adding, gone through each time.
contract SelectorModel {
    struct Row {
        bytes4 selector;
        address facet;
    }

    Row[] internal rows;

    function add(address facet, bytes4[] memory selectors) external {
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(facet);
        for (uint256 i; i < selectors.length; ++i) {
            uint256 row = find(selectors[i]);
            if (row < rows.length) revert IDiamondCut.SelectorExists(selectors[i], rows[row].facet);
            rows.push(Row(selectors[i], facet));
        }
    }

    function replace(address facet, bytes4[] memory selectors) external {
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(facet);
        for (uint256 i; i < selectors.length; ++i) {
            Row storage row = rowOf(selectors[i]);
            if (row.facet == facet) revert IDiamondCut.SelectorUnchanged(selectors[i], facet);
            row.facet = facet;
        }
    }

    function remove(bytes4[] memory selectors) external {
        if (selectors.length == 0) revert IDiamondCut.NoSelectors(address(0));
        for (uint256 i; i < selectors.length; ++i) {
            rowOf(selectors[i]);
            for (uint256 j = find(selectors[i]); j + 1 < rows.length; ++j) {
                rows[j] = rows[j + 1];
            }
            rows.pop();
        }
    }

    function count() external view returns (uint256) {
        return rows.length;
    }

    /// @dev The selector at a place counted from the newest.
    function newest(uint256 place) external view returns (Row memory) {
        return rows[rows.length - 1 - place];
    }

    /// @dev Facets and selectors, the newest first.
    function facets() external view returns (IDiamondLoupe.Facet[] memory list) {
        list = new IDiamondLoupe.Facet[](0);
        for (uint256 i = rows.length; i > 0; --i) {
            Row memory row = rows[i - 1];
            uint256 place;
            while (place < list.length && list[place].facetAddress != row.facet) ++place;
            if (place == list.length) list = longer(list, row.facet);
            list[place].functionSelectors = longer(list[place].functionSelectors, row.selector);
        }
    }

    function find(bytes4 selector) internal view returns (uint256 i) {
        while (i < rows.length && rows[i].selector != selector) ++i;
    }

    function rowOf(bytes4 selector) internal view returns (Row storage) {
        uint256 row = find(selector);
        if (row == rows.length) revert IDiamondCut.SelectorUnknown(selector);
        return rows[row];
    }

    function longer(bytes4[] memory list, bytes4 selector) internal pure returns (bytes4[] memory next) {
        next = new bytes4[](list.length + 1);
        for (uint256 i; i < list.length; ++i) {
            next[i] = list[i];
        }
        next[list.length] = selector;
    }

    function longer(IDiamondLoupe.Facet[] memory list, address facet)
        internal
        pure
        returns (IDiamondLoupe.Facet[] memory next)
    {
        next = new IDiamondLoupe.Facet[](list.length + 1);
        for (uint256 i; i < list.length; ++i) {
            next[i] = list[i];
        }
        next[list.length].facetAddress = facet;
    }
}
